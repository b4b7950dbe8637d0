/** One run of the demo's agent, exported and kept in the store: both tell the same, and so does a collector's file of it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runReport } from '../../cli/commands/report.ts';
import { tellStory } from '../../cli/demo/story.ts';
import { startWorld } from '../../cli/demo/world.ts';
import { readAll } from '../../cli/sources/call-source.ts';
import { openSource } from '../../cli/sources/open-source.ts';
import type { ReportedCall } from '../../cli/summary/reported-call.ts';
import { createEngine } from '../../src/diagnose.ts';
import { observeFetch } from '../../src/index.ts';
import { createRecorder } from '../../src/observe/recorder.ts';
import { installRecorder } from '../../src/runtime.ts';
import { bothSinks } from '../../src/setup/both-sinks.ts';
import { createStoreSink, createTelemetrySink } from '../../src/telemetry/sink.ts';
import { capturedContext } from '../cli/captured-context.ts';
import { temporaryDirectory } from '../store/store-fixture.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';

let receiver: OtlpReceiver;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
});
afterAll(() => receiver.close());

const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });

/** What a collector receives from the other services of a system, between ours. */
const OTHERS = {
  resourceSpans: [
    {
      resource: { attributes: [attribute('service.name', 'shop')] },
      scopeSpans: [
        {
          scope: { name: '@opentelemetry/instrumentation-http', version: '0.223.0' },
          spans: [
            {
              ...{ traceId: '5b8efff798038103d269b633813fc60c', spanId: 'eee19b7ec3c1b174' },
              ...{ name: 'GET /offers', kind: 2, startTimeUnixNano: '1796000000000000000' },
              endTimeUnixNano: '1796000000100000000',
              attributes: [
                attribute('http.request.method', 'GET'),
                { key: 'list', value: { arrayValue: {} } },
              ],
              events: [{ name: 'exception', timeUnixNano: '1796000000050000000' }],
            },
          ],
        },
      ],
    },
  ],
};

/** What a call is, without the names that differ by where its span was made. */
const facts = ({ id: _id, ...call }: ReportedCall) => call;

describe('a run that is exported and stored', () => {
  it('tells the same facts in both, and in the file that a collector writes of it', async () => {
    const directory = temporaryDirectory();
    const store = join(directory, 'store');
    const exporter = new OTLPTraceExporter({ url: `${receiver.url}/v1/traces` });
    const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
    const sink = bothSinks(
      createTelemetrySink({ prefixKey: 'one for both', tracerProvider: provider, store: false }),
      createStoreSink({ prefixKey: 'one for both', store: { directory: store } }),
    );
    const world = await startWorld();
    const recorder = createRecorder({ engine: createEngine(), sink, now: world.nowMs });
    installRecorder(recorder);
    await tellStory(world, observeFetch());
    await recorder.flush();
    await world.close();

    const file = join(directory, 'collector.jsonl');
    const lines = [OTHERS, ...receiver.tracesData, OTHERS].map((tracesData) => JSON.stringify(tracesData));
    writeFileSync(file, `${lines.join('\n')}\n`);

    const context = capturedContext();
    const stored = await readAll(await openSource(store, context));
    const collected = await readAll(await openSource(file, context));
    expect(stored).toHaveLength(41);
    expect(stored.filter(({ divergence }) => divergence !== null).length).toBeGreaterThan(5);
    expect(collected.map(facts)).toEqual(stored.map(facts));

    const reports = await Promise.all(
      [store, file].map(async (path) => {
        const printed = capturedContext();
        expect(await runReport(path, 'json', printed)).toBe(0);
        expect(printed.err()).toBe('');
        const withoutNames = (name: string, value: unknown) =>
          name === 'id' || name === 'source' ? undefined : value;
        return JSON.parse(printed.out(), withoutNames);
      }),
    );
    expect(reports[1]).toEqual(reports[0]);
    expect(reports[0].findings.length).toBeGreaterThan(3);
  });
});
