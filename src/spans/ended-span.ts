/** A span of an OpenTelemetry SDK that has just ended → what the dialects read. Pure; by shape, so that no SDK is loaded. */
import type { Exchange, JsonObject, JsonValue } from '../exchange.ts';
import { CONTENT_EVENT, isModelCall, type ModelSpan, spanExchange } from './model-span.ts';

type Attributes = Readonly<Record<string, unknown>>;
/** Seconds and nanoseconds. */
type HrTime = readonly [number, number];

export interface EndedSpan {
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly attributes?: Attributes | undefined }[];
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly status: { readonly code: number };
  readonly instrumentationScope: { readonly name: string };
  spanContext(): { readonly traceId: string };
}

const STATUS_ERROR = 2;

/** `undefined`: the span is no model call, or holds no prompt. */
export function exchangeOf(span: EndedSpan): Exchange | undefined {
  const modelSpan = modelSpanOf(span);
  return isModelCall(modelSpan.attributes) ? spanExchange(modelSpan) : undefined;
}

function modelSpanOf(span: EndedSpan): ModelSpan {
  const details = span.events.filter(({ name }) => name === CONTENT_EVENT);
  const attributes = Object.assign(
    {},
    ...details.map((event) => event.attributes),
    span.attributes,
  ) as Record<
    string,
    JsonValue // attributes are texts, numbers, booleans and lists of them
  >;
  return {
    attributes: attributes satisfies JsonObject,
    instrumentation: span.instrumentationScope.name,
    startMs: milliseconds(span.startTime),
    endMs: milliseconds(span.endTime),
    traceId: span.spanContext().traceId,
    hasFailed: span.status.code === STATUS_ERROR,
  };
}

function milliseconds([seconds, nanoseconds]: HrTime): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
