/**
 * Spans as an OpenTelemetry SDK dumps them (`{spans:[…]}`, not OTLP): attributes as a plain object, integer times. The
 * frameworks that write them often record the prompt of the first call alone.
 */
import { isJsonObject, numberIn, objectIn } from '../../json-value.ts';
import { objectsIn } from '../../spans/genai-messages.ts';
import { isModelCall } from '../../spans/model-span.ts';
import type { LogRecord } from './format.ts';
import { type SourcedSpan, spanLog } from './genai-spans.ts';

export const sdkSpans = spanLog('OpenTelemetry SDK span dump', isDump, callsOf);

function isDump({ spans }: { readonly spans?: unknown }): boolean {
  const first = Array.isArray(spans) ? objectIn(spans[0]) : undefined;
  return first !== undefined && isJsonObject(first.attributes) && 'start_time' in first;
}

function callsOf(record: LogRecord): SourcedSpan[] {
  const sources = record.sourcesAt('spans');
  return (objectsIn(record.value.spans) ?? []).flatMap((span, index) => {
    const attributes = objectIn(span.attributes) ?? {};
    if (!isModelCall(attributes)) return [];
    const traceId = objectIn(span.context)?.trace_id;
    return {
      attributes,
      source: sources[index] ?? record.source,
      startMs: millisecondsIn(span.start_time),
      endMs: millisecondsIn(span.end_time),
      // Integers beyond 2^53 come rounded: good enough to tell traces apart, which is all they are for here.
      traceId: traceId === undefined ? undefined : String(traceId),
      hasFailed: /error/i.test(String(objectIn(span.status)?.status_code ?? '')),
    };
  });
}

/** Nanoseconds, or ISO texts as the SDK's own `to_json` writes them. */
function millisecondsIn(value: unknown): number | undefined {
  if (typeof value === 'string') {
    const atMs = Date.parse(value);
    return Number.isNaN(atMs) ? undefined : atMs;
  }
  const nanoseconds = numberIn(value);
  return nanoseconds === undefined ? undefined : nanoseconds / 1e6;
}
