/**
 * What we need of `@opentelemetry/api`, without loading it: that takes 45 ms for its 65 files, and where the application uses
 * it, it is in memory already.
 *
 * Copies of the API (the application's, a library's) share what is registered under one global name, which holds for all of
 * version 1, and that is what is read here. Where nothing is registered nothing is active and nobody listens, as with the
 * API itself. A test holds the two together.
 */
import type {
  Context,
  ContextManager,
  DiagLogger,
  MeterProvider,
  Span,
  SpanContext,
  SpanKind,
  SpanStatusCode,
  TracerProvider,
} from '@opentelemetry/api';

interface Registered {
  readonly context?: ContextManager;
  readonly trace?: TracerProvider;
  readonly metrics?: MeterProvider;
  readonly diag?: DiagLogger;
}

const API_KEY = Symbol.for('opentelemetry.js.api.1');
const NOTHING: Registered = {};

function registered(): Registered {
  return (globalThis as { [API_KEY]?: Registered })[API_KEY] ?? NOTHING;
}

/** `undefined`: no provider is registered. */
export function globalTracerProvider(): TracerProvider | undefined {
  return registered().trace;
}

/** `undefined`: no provider is registered. */
export function globalMeterProvider(): MeterProvider | undefined {
  return registered().metrics;
}

/** A library that prints is a library that breaks somebody's output: what is said goes to whoever asked for it. */
export function warn(message: string, ...details: unknown[]): void {
  registered().diag?.warn(message, ...details);
}

class Values implements Context {
  readonly #values: ReadonlyMap<symbol, unknown>;

  constructor(values: ReadonlyMap<symbol, unknown> = new Map()) {
    this.#values = values;
  }

  getValue(key: symbol): unknown {
    return this.#values.get(key);
  }

  setValue(key: symbol, value: unknown): Context {
    return new Values(new Map(this.#values).set(key, value));
  }

  deleteValue(key: symbol): Context {
    const values = new Map(this.#values);
    values.delete(key);
    return new Values(values);
  }
}

export const ROOT_CONTEXT: Context = new Values();

export function activeContext(): Context {
  return registered().context?.active() ?? ROOT_CONTEXT;
}

export function runInContext<Result>(context: Context, run: () => Result): Result {
  const manager = registered().context;
  return manager === undefined ? run() : manager.with(context, run);
}

/** Keys of contexts are made with `Symbol.for`, so the same words are the same key. */
const SPAN_KEY = Symbol.for('OpenTelemetry Context Key SPAN');
const SUPPRESS_TRACING_KEY = Symbol.for('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

export function spanOf(context: Context): Span | undefined {
  return (context.getValue(SPAN_KEY) as Span | undefined) ?? undefined; // the key is the API's own
}

export function withSpan(context: Context, span: Span): Context {
  return context.setValue(SPAN_KEY, span);
}

/** Some code (an exporter, an evaluation run) must not be traced. */
export function isSuppressed(context = activeContext()): boolean {
  return context.getValue(SUPPRESS_TRACING_KEY) === true;
}

/** Not all zeros, which stand for "no span". */
export function isValid({ traceId, spanId }: SpanContext): boolean {
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(spanId);
}

/** A place in a trace, without the span that is there. */
export function placeholderSpan(spanContext: SpanContext): Span {
  const span: Span = {
    spanContext: () => spanContext,
    isRecording: () => false,
    setAttribute: () => span,
    setAttributes: () => span,
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    setStatus: () => span,
    updateName: () => span,
    end: () => undefined,
    recordException: () => undefined,
  };
  return span;
}

/** Enums of the API are values, and values would load it. */
export const CLIENT_KIND: SpanKind.CLIENT = 2;
export const ERROR_STATUS: SpanStatusCode.ERROR = 2;
