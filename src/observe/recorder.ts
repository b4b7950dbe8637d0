/**
 * Takes requests and responses from the hooks to the engine and on to the sink.
 *
 * Order of one call: dispatch (the hook) → `sink.open` on the caller's path → `engine.begin` in later macrotasks →
 * `engine.finish` and `OpenCall.end`, synchronously with the terminal event. A failed attempt is held for its retry, which
 * goes on with the same call. Until the engine is ready the steps wait in the order in which they came, up to a limit.
 */
import { atExit } from '../at-exit.ts';
import type { CallSink, OpenCall, OurPath } from '../call-sink.ts';
import type { DiagnosedCall } from '../diagnosis.ts';
import type { Engine, StartedCall, Unreadable } from '../engine.ts';
import type { ExchangeRequest, ExchangeResponse } from '../exchange.ts';
import { guard, guardAsync, report } from '../guard.ts';
import { activeContext } from '../opentelemetry.ts';
import { type Attempt, HeldAttempts, mayBeRetried } from './held-attempts.ts';
import { TaskQueue } from './task-queue.ts';

export interface Recording {
  /** Asks the engine at once, on the caller's path: the response of the call before, where there was one. */
  previousResponseId?(): string | undefined;
  /**
   * There is a response, and it says that the attempt failed. Its retry may come before its body has ended: openai 4 leaves
   * such a body unread.
   */
  fail?(response: ExchangeResponse): void;
  /** The first call counts. */
  end(response: ExchangeResponse): void;
}

export interface Recorder {
  readonly now: () => number;
  readonly abandonedAfterMs: number | undefined;
  /** `enrich` does the part of reading a request that can wait; it runs once, off the caller's path. */
  open(request: ExchangeRequest, enrich?: (request: ExchangeRequest) => ExchangeRequest): Recording;
  /** Tells how long a step of ours took. Never throws. */
  spend?(path: OurPath, durationMs: number): void;
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
  attempts: number;
  started: StartedCall | undefined;
  /** Why the engine can say nothing of this call. */
  unreadable: string | undefined;
}

const DEFAULT_MAX_WAITING_CALLS = 1000;
/** After this no further piece of work is begun in the same turn of the event loop. */
const TURN_MS = 1;

export function createRecorder(options: RecorderOptions): Recorder {
  const { sink, now = Date.now, maxWaitingCalls = DEFAULT_MAX_WAITING_CALLS } = options;
  const tasks = new TaskQueue();
  const heldAttempts = new HeldAttempts<CallInFlight>();
  let engine: Engine | undefined;
  let endsWaiting = 0;
  let isClosed = false;

  const engineLoaded = guardAsync('the diagnosis engine could not be loaded', async () => {
    engine = await options.engine;
  }).then(() => tasks.open());

  const begin = (call: CallInFlight): void => {
    const { request, enrich } = call;
    if (request === undefined) return;
    call.request = undefined;
    call.enrich = undefined;
    const complete = guard('a request could not be read completely', () => enrich?.(request)) ?? request;
    call.started = guard(
      'a request could not be diagnosed',
      () => engine?.begin?.(complete) ?? engine?.start(complete),
    );
    if (call.started === undefined)
      call.unreadable = engine === undefined ? 'engine_unavailable' : 'engine_error';
  };

  /** What `finish` needs that can be known before there is a response: short calls at once, long ones in pieces. */
  const advance = (call: CallInFlight): 'more' | undefined => {
    const untilMs = performance.now() + TURN_MS;
    begin(call);
    let isMore: boolean | undefined;
    do isMore = guard('a request could not be diagnosed', () => call.started?.advance?.());
    while (isMore && performance.now() < untilMs);
    return isMore ? 'more' : undefined;
  };

  const spend = (path: OurPath, durationMs: number): void =>
    guard('our own time could not be told', () => sink.spend?.(path, durationMs));

  const inBackground = <Result>(step: () => Result): Result => {
    const startedAtMs = performance.now();
    const result = step();
    spend('background', performance.now() - startedAtMs);
    return result;
  };

  const settle = (call: CallInFlight, response: ExchangeResponse): undefined => {
    begin(call);
    const { started, openCall } = call;
    const result: DiagnosedCall | Unreadable = guard('a call could not be diagnosed', () =>
      started?.finish(response),
    ) ?? { unreadable: call.unreadable ?? 'engine_error' };
    call.started = undefined;
    guard('a diagnosed call could not be delivered', () => openCall?.end(result, response));
  };

  const newCall = (request: ExchangeRequest, enrich: CallInFlight['enrich']): CallInFlight => ({
    request,
    enrich,
    openCall: guard('a call could not be opened', () => sink.open(request)),
    attempts: 1,
    started: undefined,
    unreadable: undefined,
  });

  /** The next attempt of a call that is open already. */
  const retriedCall = (attempt: Attempt, enrich: CallInFlight['enrich']): CallInFlight | undefined => {
    const call = heldAttempts.takeRetried(attempt);
    if (call === undefined) return undefined;
    guard('a failed attempt could not be forgotten', () => call.started?.abandon());
    Object.assign(call, { request: attempt.request, enrich, started: undefined, unreadable: undefined });
    call.attempts += 1;
    return call;
  };

  /** How one attempt of a call ends: with the call, or held for the next attempt. */
  const attemptOf = (call: CallInFlight, attempt: Attempt): Required<Pick<Recording, 'fail' | 'end'>> => {
    const number = call.attempts;
    let isHeld = false;
    let hasEnded = false;
    let latest: ExchangeResponse;
    const note = (response: ExchangeResponse): void => {
      latest = number === 1 ? response : { ...response, attempts: number };
    };
    const hold = (response: ExchangeResponse): void => {
      isHeld = true;
      heldAttempts.hold(attempt, response, call, () => settleInOrder(call, latest));
    };
    return {
      fail(response) {
        if (isClosed || isHeld || !mayBeRetried(response)) return;
        note(response);
        hold(response);
      },
      end(response) {
        if (hasEnded) return;
        hasEnded = true;
        note(response);
        if (isHeld) return;
        if (mayBeRetried(response) && !isClosed) hold(response);
        else settleInOrder(call, latest);
      },
    };
  };

  /** At once, as the span of the call may be about to end; behind earlier ends where some still wait. */
  const settleInOrder = (call: CallInFlight, response: ExchangeResponse): void => {
    if (tasks.isOpen && endsWaiting === 0) {
      settle(call, response);
      return;
    }
    endsWaiting++;
    tasks.push(() => {
      endsWaiting--;
      return inBackground(() => settle(call, response));
    });
  };

  const forgetAtExit = atExit({
    isSource: true,
    flush: async () => heldAttempts.giveUpAll(),
    flushSync: () => heldAttempts.giveUpAll(),
  });

  return {
    now,
    spend,
    abandonedAfterMs: options.abandonedAfterMs,
    get isClosed() {
      return isClosed;
    },
    open(request, enrich) {
      const attempt = { request, caller: activeContext() };
      const call = retriedCall(attempt, enrich) ?? newCall(request, enrich);
      if (tasks.size < maxWaitingCalls) {
        tasks.push(() => inBackground(() => advance(call)));
      } else {
        call.request = undefined;
        call.unreadable = 'queue_full';
        report('calls arrive faster than they are diagnosed, some are counted only', { maxWaitingCalls });
      }
      return {
        ...attemptOf(call, attempt),
        previousResponseId() {
          // An engine that is still loading knows of no call before.
          if (engine !== undefined) begin(call);
          return call.started?.previousResponseId?.();
        },
      };
    },
    async flush() {
      heldAttempts.giveUpAll();
      await engineLoaded;
      await tasks.drained();
      await engine?.settled?.();
      await guardAsync('telemetry could not be flushed', () => sink.flush());
    },
    async shutdown() {
      isClosed = true;
      forgetAtExit();
      heldAttempts.giveUpAll();
      await engineLoaded;
      await tasks.drained();
      await engine?.settled?.();
      await guardAsync('telemetry could not be shut down', () => sink.shutdown());
    },
  };
}
