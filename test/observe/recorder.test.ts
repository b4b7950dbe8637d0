import { describe, expect, it } from 'vitest';
import type { Engine, StartedCall } from '../../src/engine.ts';
import type { ExchangeRequest } from '../../src/exchange.ts';
import { nextTurn, recordCalls } from '../support/recorded-calls.ts';

const request = (body: string): ExchangeRequest => ({ api: 'openai.chat', body, scope: {} });
const completed = { ending: 'completed' } as const;
const unchanged = (value: ExchangeRequest): ExchangeRequest => value;

/** An engine that notes its steps, and becomes ready when told. */
function lateEngine(): { log: string[]; engine: Promise<Engine>; becomeReady(): void } {
  const log: string[] = [];
  let resolve: (engine: Engine) => void = () => {};
  const promise = new Promise<Engine>((resolvePromise) => {
    resolve = resolvePromise;
  });
  const engine: Engine = {
    start({ body }) {
      log.push(`start ${body}`);
      return {
        finish() {
          log.push(`finish ${body}`);
          return { unreadable: 'fake' };
        },
        abandon: () => {},
      };
    },
  };
  return { log, engine: promise, becomeReady: () => resolve(engine) };
}

describe('createRecorder', () => {
  it('lets calls wait for the engine and then works them off in the order in which things happened', async () => {
    const { log, engine, becomeReady } = lateEngine();
    const { recorder, calls } = recordCalls({ engine });
    const first = recorder.open(request('1'), unchanged);
    const second = recorder.open(request('2'), unchanged);
    second.end(completed);
    first.end(completed);
    expect(calls).toHaveLength(0);
    becomeReady();
    await recorder.flush();
    expect(log).toEqual(['start 1', 'start 2', 'finish 2', 'finish 1']);
    expect(calls).toHaveLength(2);
  });

  it('does not overtake ends that still wait', async () => {
    const { log, engine, becomeReady } = lateEngine();
    const { recorder } = recordCalls({ engine });
    recorder.open(request('1'), unchanged).end(completed);
    becomeReady();
    await engine;
    await Promise.resolve();
    recorder.open(request('2'), unchanged).end(completed);
    await recorder.flush();
    expect(log).toEqual(['start 1', 'finish 1', 'start 2', 'finish 2']);
  });

  it('diagnoses off the path of the caller, one call per turn of the event loop', async () => {
    const { log, engine, becomeReady } = lateEngine();
    const { recorder } = recordCalls({ engine });
    becomeReady();
    await recorder.flush();
    for (const body of ['1', '2', '3']) recorder.open(request(body), unchanged);
    expect(log).toEqual([]);
    await nextTurn();
    expect(log).toEqual(['start 1']);
    await nextTurn();
    expect(log).toEqual(['start 1', 'start 2']);
  });

  it('goes on in the next turn with a call whose reading takes long, before it looks at those behind it', async () => {
    const log: string[] = [];
    const spin = (ms: number): void => {
      const untilMs = performance.now() + ms;
      while (performance.now() < untilMs);
    };
    const begin = ({ body }: ExchangeRequest): StartedCall => {
      let pieces = 0;
      return {
        advance() {
          pieces += 1;
          log.push(`${body}: piece ${pieces}`);
          spin(body === 'long' ? 3 : 0);
          return pieces < 3;
        },
        finish: () => ({ unreadable: 'fake' }),
        abandon: () => {},
      };
    };
    const { recorder } = recordCalls({ engine: { start: begin, begin } });
    await recorder.flush();
    for (const body of ['long', 'short']) recorder.open(request(body), unchanged);
    for (const pieces of [1, 2, 3, 6]) {
      await nextTurn();
      expect(log).toHaveLength(pieces);
    }
    expect(log.at(-1)).toBe('short: piece 3');
  });

  it('starts a call at its end where its turn had not come, and delivers synchronously', async () => {
    const { log, engine, becomeReady } = lateEngine();
    const { recorder, calls } = recordCalls({ engine });
    becomeReady();
    await recorder.flush();
    const recording = recorder.open(request('1'), unchanged);
    recording.end(completed);
    recording.end({ ending: 'failed' });
    expect(log).toEqual(['start 1', 'finish 1']);
    expect(calls.map(({ response }) => response.ending)).toEqual(['completed']);
  });

  it('counts calls beyond the limit instead of holding their bodies', async () => {
    const { engine, becomeReady, log } = lateEngine();
    const { recorder, calls } = recordCalls({ engine, maxWaitingCalls: 2 });
    const recordings = ['1', '2', '3'].map((body) => recorder.open(request(body), unchanged));
    for (const recording of recordings) recording.end(completed);
    becomeReady();
    await recorder.flush();
    expect(log.filter((line) => line.startsWith('start'))).toEqual(['start 1', 'start 2']);
    expect(calls.at(-1)?.result).toEqual({ unreadable: 'queue_full' });
  });

  it('says so where the engine cannot be loaded or fails', async () => {
    const unavailable = recordCalls({ engine: Promise.reject(new Error('no')) });
    unavailable.recorder.open(request('1'), unchanged).end(completed);
    await unavailable.recorder.flush();
    expect(unavailable.calls[0]?.result).toEqual({ unreadable: 'engine_unavailable' });

    const failing = recordCalls({
      engine: {
        start() {
          throw new Error('no');
        },
      },
    });
    failing.recorder.open(request('1'), unchanged).end(completed);
    await failing.recorder.flush();
    expect(failing.calls[0]?.result).toEqual({ unreadable: 'engine_error' });
  });
});
