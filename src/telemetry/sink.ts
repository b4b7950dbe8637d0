/**
 * The sink that turns diagnosed calls into spans: the application's own tracing where it has one, the local store where
 * not. The composition point of telemetry and store.
 *
 * Invariants: `open` only looks (context, active span, clock); nothing here throws at a caller or keeps a process alive;
 * no provider of the application is ever shut down.
 */
import type { Context, Span, SpanContext, TracerProvider } from '@opentelemetry/api';
import type { CallSink, OpenCall, OurPath } from '../call-sink.ts';
import type { ExchangeRequest, ExchangeResponse } from '../exchange.ts';
import { guard, guardAsync } from '../guard.ts';
import { activeContext, isSuppressed, spanOf } from '../opentelemetry.ts';
import { isDisabled, isSwitchedOn } from '../switches.ts';
import { isInferenceSpan } from './active-span.ts';
import { applicationTracer, flushApplication } from './application-tracer.ts';
import { type CallSite, takeCallSite } from './call-site.ts';
import { callTimes } from './call-times.ts';
import { capturesContent } from './content-capture.ts';
import { createExcerptExport } from './excerpts.ts';
import { type FindingListener, findingsTold, tellOfFinding } from './finding-listener.ts';
import { LocalTracer } from './local-tracer.ts';
import { type CallMetrics, createCallMetrics } from './metrics.ts';
import { createPrefixId } from './prefix-id.ts';
import { RecentMap } from './recent-map.ts';
import {
  type CallSpan,
  type Drawing,
  type EndedCall,
  ourAttributes,
  type RequestFacts,
  recordCall,
} from './record-call.ts';
import { ATTR_MISS } from './semconv.ts';
import type { TelemetrySinkOptions } from './sink-options.ts';
import { cacheWriteNames } from './usage-spelling.ts';
import { createWaitingTimes } from './waiting.ts';

export type { TelemetrySinkOptions };

/** Baselines that a link may lead to: more than any application has live conversations, about 150 bytes each. */
const MAX_BASELINES = 4096;

export interface TelemetrySink extends CallSink {
  /** Records that could not be written to the local store. */
  readonly dropped: number;
}

interface Opened {
  readonly request: RequestFacts;
  readonly context: Context;
  readonly activeSpan: Span | undefined;
  readonly openedAtMs: number;
  readonly callSite: CallSite | undefined;
}

export function createTelemetrySink(options: TelemetrySinkOptions = {}): TelemetrySink {
  return isDisabled() ? DISABLED_SINK : new SpanSink(options);
}

/** Writes the local store whatever tracing the application has. */
export function createStoreSink(options: TelemetrySinkOptions): TelemetrySink {
  return isDisabled() ? DISABLED_SINK : new SpanSink(options, true);
}

const IGNORED_CALL: OpenCall = { end: () => undefined };

const DISABLED_SINK: TelemetrySink = {
  dropped: 0,
  open: () => IGNORED_CALL,
  flush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};

class SpanSink implements TelemetrySink {
  readonly #tracerProvider: TracerProvider | undefined;
  readonly #storesOnly: boolean;
  readonly #drawing: Drawing;
  readonly #local: LocalTracer | undefined;
  readonly #metrics: CallMetrics | undefined;
  readonly #waitingOf = createWaitingTimes();
  readonly #onDivergence: FindingListener | undefined;
  readonly #takesCallSites: boolean;
  /** GenAI spans that carry the facts of a call already; a second call under the same span must not overwrite them. */
  readonly #taken = new WeakSet<Span>();
  #isShutDown = false;

  constructor(options: TelemetrySinkOptions, storesOnly = false) {
    this.#tracerProvider = options.tracerProvider;
    this.#storesOnly = storesOnly;
    this.#drawing = {
      baselines: new RecentMap<number, SpanContext>(MAX_BASELINES),
      prefixId: createPrefixId(options.prefixKey),
      exportExcerpt: createExcerptExport(options.captureContent ?? capturesContent(), options.redact),
      cacheWriteNames: cacheWriteNames(),
    };
    this.#onDivergence = options.onDivergence;
    this.#takesCallSites = options.callSite ?? isSwitchedOn('PREFIXTRACE_CALL_SITE');
    this.#local = options.store === false ? undefined : new LocalTracer(options.store ?? {});
    this.#metrics =
      options.metrics === false ? undefined : createCallMetrics(options.metrics, () => this.dropped);
    if (guard('looking for a tracer provider failed', () => this.#applicationTracer()) === undefined) {
      void this.#local?.prepare();
    }
  }

  get dropped(): number {
    return this.#local?.dropped ?? 0;
  }

  open(request: ExchangeRequest): OpenCall {
    const opened = guard('a call could not be opened', () => this.#look(request));
    if (opened === undefined) return IGNORED_CALL;
    let isEnded = false;
    return {
      end: (call, response) => {
        if (isEnded || this.#isShutDown) return;
        isEnded = true;
        guard('a call could not be recorded', () => this.#end(opened, call, response));
      },
    };
  }

  spend(path: OurPath, durationMs: number): void {
    guard('our own time could not be counted', () => this.#metrics?.spend(path, durationMs));
  }

  async flush(): Promise<void> {
    await findingsTold();
    await guardAsync('the local store could not be flushed', async () => this.#local?.flush());
    if (this.#storesOnly) return;
    await guardAsync('the tracer provider could not be flushed', () =>
      flushApplication(this.#tracerProvider),
    );
  }

  async shutdown(): Promise<void> {
    this.#isShutDown = true;
    await this.flush();
    await guardAsync('the local store could not be closed', async () => this.#local?.shutdown());
  }

  #look(request: ExchangeRequest): Opened | undefined {
    const active = activeContext();
    if (isSuppressed(active)) return undefined;
    const { api, model, atMs, endpoint, scope } = request;
    return {
      request: { api, model, atMs, endpoint, scope },
      context: active,
      activeSpan: spanOf(active),
      openedAtMs: Date.now(),
      callSite: this.#takesCallSites ? takeCallSite() : undefined,
    };
  }

  #end(opened: Opened, call: EndedCall['call'], response: ExchangeResponse): void {
    const { request, activeSpan, openedAtMs } = opened;
    const ended: EndedCall = {
      context: opened.context,
      request,
      response,
      call,
      waiting: this.#waiting(call, response),
      callSite: opened.callSite?.(),
      ...callTimes(request, response, openedAtMs, Date.now()),
    };
    tellOfFinding(this.#onDivergence, call);
    guard('a call could not be counted', () => this.#metrics?.count(request, call));
    const callSpan = this.#enrich(ended, activeSpan);
    const tracer = this.#applicationTracer();
    if (tracer !== undefined) recordCall(ended, callSpan, tracer, this.#drawing);
    // Whatever span the call has elsewhere: the store must tell of it without the application's backend.
    else this.#local?.run((localTracer) => this.#recordLocally(ended, localTracer));
  }

  /** A failed response comes soon or late for reasons of its own. */
  #waiting(call: EndedCall['call'], response: ExchangeResponse): EndedCall['waiting'] {
    if ('unreadable' in call || response.ending === 'failed') return undefined;
    return this.#waitingOf(call, response.firstChunkAtMs !== undefined);
  }

  #recordLocally(ended: EndedCall, tracer: Parameters<typeof recordCall>[2]): void {
    guard('a call could not be stored', () => recordCall(ended, 'own', tracer, this.#drawing));
  }

  /** Adds to the GenAI span that the client made for this call. Its usage, status and end are its owner's business. */
  #enrich(ended: EndedCall, activeSpan: Span | undefined): CallSpan {
    if (activeSpan === undefined || !isInferenceSpan(activeSpan)) return 'own';
    if (!activeSpan.isRecording() || this.#taken.has(activeSpan)) return 'beneath';
    const attributes = ourAttributes(ended, this.#drawing.prefixId);
    if (ended.response.ending === 'failed') {
      // The client may try again under the same span, and an attribute that the next attempt lacks cannot be taken off.
      delete attributes[ATTR_MISS];
    } else {
      this.#taken.add(activeSpan);
    }
    activeSpan.setAttributes(attributes);
    return activeSpan;
  }

  #applicationTracer(): ReturnType<typeof applicationTracer> {
    return this.#storesOnly ? undefined : applicationTracer(this.#tracerProvider);
  }
}
