/**
 * A program that makes calls with `startPrefixtrace`, then ends in the way that is asked for:
 *
 *   agent SETUP END
 *
 * SETUP, words joined by `+`: `before` or `after` the client is observed, `twice`; `store`, `no-store`; `own` tracing of the
 * application first, `own-late` after set-up before the first call; `forgetful`: keeps no prompts; `bare`: no word of us.
 * END: `natural`; `flush` and then `process.exit(3)`; `signal`: prints `ready` and waits; `listens`: the same with a
 * listener of its own, which exits with 7; `shutdown`.
 */
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { metrics, trace } from '@opentelemetry/api';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { observeFetch, startPrefixtrace, storeExporter } from '../../../src/index.ts';

const [setUp = '', way = 'natural'] = process.argv.slice(2);
const words = new Set(setUp.split('+'));
const ownSpans: string[] = [];

function registerOwnTracing(): void {
  const own = {
    export(spans: { name: string }[], done: (result: { code: number }) => void) {
      ownSpans.push(...spans.map(({ name }) => name));
      done({ code: 0 });
    },
    shutdown: async () => {},
  };
  const processors = [own, ...(words.has('exporter') ? [storeExporter()] : [])].map(
    (exporter) => new SimpleSpanProcessor(exporter),
  );
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: processors }));
}

const start = () =>
  startPrefixtrace({
    serviceName: 'wedding',
    ...(words.has('store') && { store: true }),
    ...(words.has('no-store') && { store: false }),
    ...(words.has('forgetful') && { headLimits: { promptBytes: 0 } }),
  });

if (words.has('own')) registerOwnTracing();
if (words.has('before')) start();
// No SDK of a provider: some make spans of their own once there is tracing.
const fetch = words.has('bare') ? globalThis.fetch : observeFetch();
const handle = words.has('bare') ? undefined : start();
if (words.has('own-late')) registerOwnTracing();

for (const time of ['10:00', '10:01']) {
  const response = await fetch(`${process.env.URL_OF_SERVER}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({
      ...{ model: 'claude-opus-5', max_tokens: 8, cache_control: { type: 'ephemeral' } },
      system: `It is ${time}. ${'Be brief. '.repeat(2000)}`,
      messages: [{ role: 'user', content: 'hi' }],
    }),
  });
  await response.json();
}

metrics.getMeter('application').createCounter('application.turns').add(2);

if (way === 'flush') {
  await handle?.flush();
  process.exit(3);
}
if (way === 'shutdown') await handle?.shutdown();
if (way === 'listens') {
  process.on('SIGTERM', () => {
    console.log('host cleans up');
    setTimeout(() => process.exit(7), 1_500);
  });
}
if (way === 'signal' || way === 'listens') {
  console.log('ready');
  await sleep(60_000);
}
const hasLoadedSdk = () =>
  Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('@opentelemetry/sdk-node/'));
process.on('exit', () => console.log(JSON.stringify({ ownSpans, hasLoadedSdk: hasLoadedSdk() })));
