#!/usr/bin/env node
// What the hook and the engine take by themselves: a bare `fetch` and the observed one in turn, in one process, on the same
// bodies, so that a machine whose speed drifts does not matter. Bodies are made beforehand and no client stands between.
// `--busy` writes and encodes a body of that size before each call, as a client does: it takes our code and data out of the
// processor's caches.
//   node test/bench/measure-hook.mjs [--busy] [--from 200] [--to 300] [--conversations 8] [--warm-ups 100] [--dist dist]
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from './figures.mjs';
import { bodyOf, growTo, newConversation } from './workload.mjs';

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '200' },
    to: { type: 'string', default: '300' },
    conversations: { type: 'string', default: '8' },
    'warm-ups': { type: 'string', default: '100' },
    dist: { type: 'string', default: 'dist' },
    busy: { type: 'boolean', default: false },
  },
});
const [from, to, conversations, warmUps] = [
  values.from,
  values.to,
  values.conversations,
  values['warm-ups'],
].map(Number);

const require = createRequire(import.meta.url);
const { context, trace } = require('@opentelemetry/api');
const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks');
const {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} = require('@opentelemetry/sdk-trace-base');
const exporter = new InMemorySpanExporter();
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
);
const { observeFetch, flush, shutdown } = await import(resolve(values.dist, 'index.js'));

let answered = 0;
function reply(body) {
  answered += 1;
  const total = Math.round(body.length / 4);
  return JSON.stringify({
    id: `chatcmpl-${answered}`,
    object: 'chat.completion',
    model: 'gpt-6-mini',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Done. '.repeat(40) }, finish_reason: 'stop' },
    ],
    usage: {
      prompt_tokens: total,
      completion_tokens: 60,
      prompt_tokens_details: { cached_tokens: Math.max(0, Math.floor((total - 2_000) / 128) * 128) },
    },
  });
}

const turn = () => new Promise((fulfil) => setImmediate(fulfil));
const bare = async (_url, { body }) => {
  await turn();
  return new Response(reply(body), { headers: { 'content-type': 'application/json' } });
};
const observed = observeFetch(bare);

async function callMs(fetch, body) {
  const startedAtMs = performance.now();
  const response = await fetch('https://api.openai.com/v1/chat/completions', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-none' },
  });
  await response.json();
  // What is put off until after the call belongs to it as well.
  for (let turns = 0; turns < 3; turns += 1) await turn();
  return performance.now() - startedAtMs;
}

const encoder = new TextEncoder();
function bodiesOf(messages, first, last) {
  const bodies = [];
  for (let length = first; length <= last; length += 2) {
    const body = JSON.stringify(bodyOf(messages.slice(0, length)));
    // As sending it does: a text that was put together from pieces becomes one.
    encoder.encode(body);
    bodies.push(body);
  }
  return bodies;
}

for (let round = 0; round < warmUps; round += 1)
  for (const body of bodiesOf(growTo(newConversation(), 60), 2, 60)) {
    await callMs(bare, body);
    await callMs(observed, body);
  }
await flush();
exporter.reset();

const times = { bare: [], observed: [], firstSight: [] };
for (let round = 0; round < conversations; round += 1) {
  const messages = growTo(newConversation(), to);
  const [first, ...rest] = bodiesOf(messages, from, to);
  times.firstSight.push(await callMs(observed, first));
  for (const body of rest) {
    if (values.busy) encoder.encode(JSON.stringify(bodyOf(messages)));
    times.bare.push(await callMs(bare, body));
    if (values.busy) encoder.encode(JSON.stringify(bodyOf(messages)));
    times.observed.push(await callMs(observed, body));
  }
}
await flush();
const calls = conversations + times.observed.length;
const spans = exporter.getFinishedSpans().filter(({ parentSpanContext }) => parentSpanContext === undefined);
if (spans.length !== calls) throw new Error(`${spans.length} of ${calls} calls left a span`);

const last = bodyOf(growTo(newConversation(), to));
const stringifyMs = median(
  Array.from({ length: 21 }, () => {
    const startedAtMs = performance.now();
    JSON.stringify(last);
    return performance.now() - startedAtMs;
  }),
);
const addedMs = median(times.observed) - median(times.bare);
console.log(
  `${from} to ${to} messages${values.busy ? ', busy' : ''}, ${times.observed.length} calls after ${warmUps * 30}: ` +
    `${addedMs.toFixed(2)} ms added, ${(addedMs / stringifyMs).toFixed(2)} of one JSON.stringify (${stringifyMs.toFixed(2)} ms); ` +
    `first sight of ${from} messages ${median(times.firstSight).toFixed(1)} ms`,
);
await shutdown();
