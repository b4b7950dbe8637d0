/**
 * The sink that turns diagnosed calls into spans: the application's own tracing where it has one, the local store where
 * not. The composition point of telemetry and store.
 *
 * Invariants: `open` only looks (context, active span, clock); nothing here throws at a caller or keeps a process alive;
 * no provider of the application is ever shut down.
 */
import { type Context, context, type Span, type TracerProvider, trace } from '@opentelemetry/api';
import type { CallSink, OpenCall } from '../call-sink.ts';
import type { ExchangeRequest, ExchangeResponse } from '../exchange.ts';
import { guard, guardAsync } from '../guard.ts';
import { isInferenceSpan, isSuppressed } from './active-span.ts';
import { applicationTracer, flushApplication } from './application-tracer.ts';
import { BaselineSpans } from './baseline-spans.ts';
import { callTimes } from './call-times.ts';
import { capturesContent } from './content-capture.ts';
import { LocalTracer, type OpenStoreOptions } from './local-tracer.ts';
import { createPrefixId } from './prefix-id.ts';
import {
  type CallSpan,
  type Drawing,
  type EndedCall,
  ourAttributes,
  type RequestFacts,
  recordCall,
} from './record-call.ts';
import { ATTR_MISS } from './semconv.ts';

export interface TelemetrySinkOptions {
  /** Where spans go, instead of the globally registered provider. @default the global one, else the local store */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Write short excerpts of what changed on divergence spans. @default `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` */
  readonly captureContent?: boolean | undefined;
  /** Key of `prompt_cache.prefix.id`; give several processes the same to compare across them. @default random per process */
  readonly prefixKey?: string | Uint8Array | undefined;
  /** The local store, for applications without tracing; `false`: none. */
  readonly store?: OpenStoreOptions | false | undefined;
}

export interface TelemetrySink extends CallSink {
  /** Records that could not be written to the local store. */
  readonly dropped: number;
}

interface Opened {
  readonly request: RequestFacts;
  readonly context: Context;
  readonly activeSpan: Span | undefined;
  readonly openedAtMs: number;
}

export function createTelemetrySink(options: TelemetrySinkOptions = {}): TelemetrySink {
  return isDisabled() ? DISABLED_SINK : new SpanSink(options);
}

/** `PREFIXTRACE_DISABLED=1` turns everything off. */
function isDisabled(): boolean {
  return ['1', 'true'].includes(process.env.PREFIXTRACE_DISABLED?.trim().toLowerCase() ?? '');
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
  readonly #drawing: Drawing;
  readonly #local: LocalTracer | undefined;
  /** GenAI spans that carry the facts of a call already; a second call under the same span must not overwrite them. */
  readonly #taken = new WeakSet<Span>();
  #isShutDown = false;

  constructor(options: TelemetrySinkOptions) {
    this.#tracerProvider = options.tracerProvider;
    this.#drawing = {
      baselines: new BaselineSpans(),
      prefixId: createPrefixId(options.prefixKey),
      captureContent: options.captureContent ?? capturesContent(),
    };
    this.#local = options.store === false ? undefined : new LocalTracer(options.store ?? {});
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

  async flush(): Promise<void> {
    await guardAsync('the local store could not be flushed', async () => this.#local?.flush());
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
    const active = context.active();
    if (isSuppressed(active)) return undefined;
    const { api, model, atMs, endpoint, scope } = request;
    return {
      request: { api, model, atMs, endpoint, scope },
      context: active,
      activeSpan: trace.getSpan(active),
      openedAtMs: Date.now(),
    };
  }

  #end(opened: Opened, call: EndedCall['call'], response: ExchangeResponse): void {
    const { request, activeSpan, openedAtMs } = opened;
    const times = callTimes(request, response, openedAtMs, Date.now());
    const ended: EndedCall = { context: opened.context, request, response, call, ...times };
    const callSpan = this.#enrich(ended, activeSpan);
    const tracer = this.#applicationTracer();
    if (tracer !== undefined) recordCall(ended, callSpan, tracer, this.#drawing);
    // Whatever span the call has elsewhere: the store must tell of it without the application's backend.
    else this.#local?.run((localTracer) => this.#recordLocally(ended, localTracer));
  }

  #recordLocally(ended: EndedCall, tracer: Parameters<typeof recordCall>[2]): void {
    guard('a call could not be stored', () => recordCall(ended, 'own', tracer, this.#drawing));
  }

  /** Adds to the GenAI span that the client made for this call. Its usage, status and end are its owner's business. */
  #enrich(ended: EndedCall, activeSpan: Span | undefined): CallSpan {
    if (activeSpan === undefined || !isInferenceSpan(activeSpan)) return 'own';
    if (!activeSpan.isRecording() || this.#taken.has(activeSpan)) return 'beneath';
    const attributes = ourAttributes(ended.call, this.#drawing.prefixId);
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
    return applicationTracer(this.#tracerProvider);
  }
}
