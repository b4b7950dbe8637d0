/**
 * A recorder with a fake engine and a fake sink: shows what the hooks saw, without diagnosis or telemetry.
 */
import type { CallSink } from '../../src/call-sink.ts';
import type { DiagnosedCall } from '../../src/diagnosis.ts';
import type { Engine, Unreadable } from '../../src/engine.ts';
import type { ExchangeRequest, ExchangeResponse } from '../../src/exchange.ts';
import { createRecorder, type Recorder, type RecorderOptions } from '../../src/observe/recorder.ts';

export interface RecordedCall {
  readonly request: ExchangeRequest;
  readonly response: ExchangeResponse;
  readonly result: DiagnosedCall | Unreadable;
}

export interface RecordedCalls {
  readonly recorder: Recorder;
  /** Ended calls, in the order in which they ended. */
  readonly calls: RecordedCall[];
  /** What the engine was given, in order: the request with its suggested scope and account. */
  readonly started: ExchangeRequest[];
  readonly opened: ExchangeRequest[];
  /** Waits for a number of ended calls; the test's own timeout is the limit. */
  ended(count: number): Promise<readonly RecordedCall[]>;
}

export function recordCalls(options: Partial<RecorderOptions> = {}): RecordedCalls {
  const calls: RecordedCall[] = [];
  const started: ExchangeRequest[] = [];
  const opened: ExchangeRequest[] = [];
  const engine: Engine = {
    start(request) {
      started.push(request);
      return { finish: () => ({ unreadable: 'fake engine' }), abandon: () => {} };
    },
  };
  const sink: CallSink = {
    open(request) {
      opened.push(request);
      return {
        end(result, response) {
          calls.push({ request, response, result });
        },
      };
    },
    flush: async () => {},
    shutdown: async () => {},
  };
  return {
    recorder: createRecorder({ engine, sink, ...options }),
    calls,
    started,
    opened,
    async ended(count) {
      while (calls.length < count) await nextTurn();
      return calls;
    },
  };
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
