import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/diagnose.ts';
import { observeClient } from '../../src/observe/observe-client.ts';
import { createRecorder } from '../../src/observe/recorder.ts';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';
import { type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts';
import { SDK_TARGETS } from '../support/sdk-targets.ts';
import { RecordedMetrics } from './recorded-metrics.ts';

let server: ScriptedServer;
let metrics: RecordedMetrics;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());
beforeEach(() => {
  metrics = new RecordedMetrics();
});
afterEach(() => metrics.shutdown());

interface Histogram {
  readonly count: number;
  readonly sum: number;
}

describe('our own time', () => {
  it.each(SDK_TARGETS.filter(({ isBetween }) => !isBetween).map((target) => [target.name, target] as const))(
    'is counted for each request, each response and each task behind them: %s',
    async (_, target) => {
      const sink = createTelemetrySink({ metrics: metrics.provider, store: false });
      const recorder = createRecorder({ engine: createEngine(), sink });
      await recorder.flush();
      const client = observeClient(target.newClient(server.url), {}, () => recorder);
      server.script([target.jsonReply, target.streamReply()]);
      const startedAtMs = performance.now();
      await target.create(client, 'hi');
      for await (const _ of await target.stream(client, 'hi'));
      await recorder.flush();
      const wholeSeconds = (performance.now() - startedAtMs) / 1000;

      const points = await metrics.points('prompt_cache.overhead.duration');
      const of = (path: string) =>
        points.find(({ attributes }) => attributes['prompt_cache.overhead.path'] === path)
          ?.value as Histogram;
      expect(of('caller').count, 'two requests and two responses').toBe(4);
      expect(
        of('background').count,
        'short calls are done in one go, on a busy machine in more',
      ).toBeGreaterThanOrEqual(2);
      const ourSeconds = of('caller').sum + of('background').sum;
      expect(ourSeconds).toBeGreaterThan(0);
      expect(ourSeconds).toBeLessThan(wholeSeconds);
    },
  );
});
