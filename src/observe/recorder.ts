/**
 * Takes requests and responses from the hooks to the engine and on to the sink.
 *
 * Order of one call: dispatch (the hook) → `sink.open` on the caller's path → `engine.start` in a later macrotask →
 * `engine.finish` and `OpenCall.end`, synchronously with the terminal event. Until the engine is ready the steps wait in
 * the order in which they came, up to a limit.
 */
import type { CallSink, OpenCall } from '../call-sink.ts';
import type { DiagnosedCall } from '../diagnosis.ts';
import type { Engine, StartedCall, Unreadable } from '../engine.ts';
import type { ExchangeRequest, ExchangeResponse } from '../exchange.ts';
import { guard, guardAsync, report } from '../guard.ts';
import { TaskQueue } from './task-queue.ts';

export interface Recording {
  /** The first call counts. */
  end(response: ExchangeResponse): void;
}

export interface Recorder {
  readonly now: () => number;
  readonly abandonedAfterMs: number | undefined;
  /** `enrich` does the part of reading a request that can wait; it runs once, off the caller's path. */
  open(request: ExchangeRequest, enrich: (request: ExchangeRequest) => ExchangeRequest): Recording;
  readonly isClosed: boolean;
  flush(): Promise<void>;
  shutdown(): Promise<void>;
}

export interface RecorderOptions {
  /** May still be loading. */
  readonly engine: Engine | Promise<Engine>;
  readonly sink: CallSink;
  /** @default Date.now */
  readonly now?: () => number;
  /** How many requests may wait for the engine before new ones are counted only. @default 1000 */
  readonly maxWaitingCalls?: number;
  /** When a response that nobody reads counts as abandoned. @default 15 minutes */
  readonly abandonedAfterMs?: number;
}

/** One call on its way. What is no longer needed is dropped at once, the request above all. */
interface CallInFlight {
  request: ExchangeRequest | undefined;
  enrich: ((request: ExchangeRequest) => ExchangeRequest) | undefined;
  readonly openCall: OpenCall | undefined;
  started: StartedCall | undefined;
  /** Why the engine can say nothing of this call. */
  unreadable: string | undefined;
  hasEnded: boolean;
}

const DEFAULT_MAX_WAITING_CALLS = 1000;

export function createRecorder(options: RecorderOptions): Recorder {
  const { sink, now = Date.now, maxWaitingCalls = DEFAULT_MAX_WAITING_CALLS } = options;
  const tasks = new TaskQueue();
  let engine: Engine | undefined;
  let endsWaiting = 0;
  let isClosed = false;

  const engineLoaded = guardAsync('the diagnosis engine could not be loaded', async () => {
    engine = await options.engine;
  }).then(() => tasks.open());

  const start = (call: CallInFlight): void => {
    const { request, enrich } = call;
    if (request === undefined) return;
    call.request = undefined;
    call.enrich = undefined;
    const complete = guard('a request could not be read completely', () => enrich?.(request)) ?? request;
    call.started = guard('a request could not be diagnosed', () => engine?.start(complete));
    if (call.started === undefined)
      call.unreadable = engine === undefined ? 'engine_unavailable' : 'engine_error';
  };

  const settle = (call: CallInFlight, response: ExchangeResponse): void => {
    start(call);
    const { started, openCall } = call;
    const result: DiagnosedCall | Unreadable = guard('a call could not be diagnosed', () =>
      started?.finish(response),
    ) ?? { unreadable: call.unreadable ?? 'engine_error' };
    call.started = undefined;
    guard('a diagnosed call could not be delivered', () => openCall?.end(result, response));
  };

  return {
    now,
    abandonedAfterMs: options.abandonedAfterMs,
    get isClosed() {
      return isClosed;
    },
    open(request, enrich) {
      const openCall = guard('a call could not be opened', () => sink.open(request));
      const call: CallInFlight = {
        request,
        enrich,
        openCall,
        started: undefined,
        unreadable: undefined,
        hasEnded: false,
      };
      if (tasks.size < maxWaitingCalls) {
        tasks.push(() => start(call));
      } else {
        call.request = undefined;
        call.unreadable = 'queue_full';
        report('calls arrive faster than they are diagnosed, some are counted only', { maxWaitingCalls });
      }
      return {
        end(response) {
          if (call.hasEnded) return;
          call.hasEnded = true;
          // At once, as the span of the call may be about to end; behind earlier ends where some still wait.
          if (tasks.isOpen && endsWaiting === 0) {
            settle(call, response);
            return;
          }
          endsWaiting++;
          tasks.push(() => {
            endsWaiting--;
            settle(call, response);
          });
        },
      };
    },
    async flush() {
      await engineLoaded;
      await tasks.drained();
      await guardAsync('telemetry could not be flushed', () => sink.flush());
    },
    async shutdown() {
      isClosed = true;
      await engineLoaded;
      await tasks.drained();
      await guardAsync('telemetry could not be shut down', () => sink.shutdown());
    },
  };
}
