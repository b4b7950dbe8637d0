/** OTLP JSON, a document or a line for each batch (the collector's file exporter): spans with captured GenAI content. */
import type { JsonObject, JsonValue } from '../../exchange.ts';
import { isJsonObject, numberIn, objectIn, stringIn } from '../../json-value.ts';
import { objectsIn } from '../../spans/genai-messages.ts';
import { CONTENT_EVENT, isModelCall } from '../../spans/model-span.ts';
import type { LogRecord } from './format.ts';
import { type SourcedSpan, spanLog } from './genai-spans.ts';

const STATUS_ERROR = 2;

export const otlp = spanLog('OTLP JSON', ({ resourceSpans }) => Array.isArray(resourceSpans), callsOf);

function callsOf(record: LogRecord): SourcedSpan[] {
  const sources = record.sourcesAt('resourceSpans', '*', 'scopeSpans', '*', 'spans');
  const spans = (objectsIn(record.value.resourceSpans) ?? [])
    .flatMap(({ scopeSpans }) => objectsIn(scopeSpans) ?? [])
    .flatMap(({ scope, spans: list }) =>
      (objectsIn(list) ?? []).map((span) => ({ span, instrumentation: stringIn(objectIn(scope)?.name) })),
    );
  return spans
    .map(({ span, instrumentation }, index) => ({
      ...{ span, instrumentation, attributes: attributesOf(span) },
      source: sources[index] ?? record.source,
    }))
    .filter(({ attributes }) => isModelCall(attributes))
    .map(({ span, instrumentation, attributes, source }) => ({
      attributes,
      instrumentation,
      source,
      startMs: nanosecondsIn(span.startTimeUnixNano),
      endMs: nanosecondsIn(span.endTimeUnixNano),
      traceId: stringIn(span.traceId),
      hasFailed: [STATUS_ERROR, 'STATUS_CODE_ERROR'].includes(objectIn(span.status)?.code as string | number),
    }));
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
