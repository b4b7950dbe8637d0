/** OTLP JSON, a document or a line for each batch (the collector's file exporter): spans with captured GenAI content. */
import type { JsonObject, JsonValue } from '../../exchange.ts';
import { isJsonObject, numberIn, objectIn, stringIn } from '../../json-value.ts';
import { objectsIn } from '../../spans/genai-messages.ts';
import { CONTENT_EVENT, isModelCall, type ModelSpan } from '../../spans/model-span.ts';
import type { LogRecord } from './format.ts';
import { type SourcedSpan, spanLog } from './genai-spans.ts';

const STATUS_ERROR = 2;

export const otlp = spanLog('OTLP JSON', ({ resourceSpans }) => Array.isArray(resourceSpans), callsOf);

function callsOf(record: LogRecord): SourcedSpan[] {
  const sources = record.sourcesAt('resourceSpans', '*', 'scopeSpans', '*', 'spans');
  return tracedSpans(record.value)
    .map((span, index) => ({ ...span, source: sources[index] ?? record.source }))
    .filter(({ attributes }) => isModelCall(attributes));
}

/** A span of one `TracesData`, with its content; of a model call or not. */
export interface TracedSpan extends ModelSpan {
  readonly spanId: string | undefined;
  readonly parentSpanId: string | undefined;
}

export function tracedSpans({ resourceSpans }: JsonObject): TracedSpan[] {
  return (objectsIn(resourceSpans) ?? [])
    .flatMap(({ scopeSpans }) => objectsIn(scopeSpans) ?? [])
    .flatMap(({ scope, spans }) =>
      (objectsIn(spans) ?? []).map((span) => ({
        attributes: attributesOf(span),
        instrumentation: stringIn(objectIn(scope)?.name),
        startMs: nanosecondsIn(span.startTimeUnixNano),
        endMs: nanosecondsIn(span.endTimeUnixNano),
        traceId: stringIn(span.traceId),
        spanId: stringIn(span.spanId),
        parentSpanId: stringIn(span.parentSpanId),
        hasFailed: [STATUS_ERROR, 'STATUS_CODE_ERROR'].includes(
          objectIn(span.status)?.code as string | number,
        ),
      })),
    );
}

/** Content may sit on the span or on an event of it. */
function attributesOf(span: JsonObject): JsonObject {
  const details = (objectsIn(span.events) ?? []).filter(({ name }) => name === CONTENT_EVENT);
  return Object.fromEntries([...details, span].flatMap(({ attributes }) => keyValues(attributes)));
}

function keyValues(list: unknown): [string, JsonValue][] {
  return (objectsIn(list) ?? []).map(({ key, value }) => [String(key), anyValue(value)]);
}

function anyValue(value: unknown): JsonValue {
  if (!isJsonObject(value)) return null;
  const { stringValue, intValue, doubleValue, boolValue, arrayValue, kvlistValue } = value;
  if (intValue !== undefined) return Number(intValue);
  if (isJsonObject(arrayValue)) return (objectsIn(arrayValue.values) ?? []).map(anyValue);
  if (isJsonObject(kvlistValue)) return Object.fromEntries(keyValues(kvlistValue.values));
  return stringValue ?? doubleValue ?? boolValue ?? null;
}

function nanosecondsIn(value: unknown): number | undefined {
  const nanoseconds = typeof value === 'string' ? Number(value) : numberIn(value);
  return nanoseconds === undefined || Number.isNaN(nanoseconds) ? undefined : nanoseconds / 1e6;
}
