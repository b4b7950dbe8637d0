/** A row with a span's attributes as text → a stored span, as the local store has it: the same reader makes the call of both. */
import type { StoredAttributes, StoredSpan } from '../../../src/store/otlp-json.ts';
import * as semconv from '../../../src/telemetry/semconv.ts';
import type { Row } from './run-query.ts';
import { numberOf, textOf } from './totals-row.ts';

export const STORED_SPAN_SQL = `TraceId, SpanId, ParentSpanId, SpanName, toString(Key) AS KeyText, toString(ParentKey) AS ParentKeyText,
  toUnixTimestamp64Micro(Timestamp) AS StartMicroseconds, toFloat64(Duration) AS TookNanoseconds, Instance, Lineage, Attributes,
  BaselineTraceId, BaselineSpanId, toString(BaselineKey) AS BaselineKeyText`;

export function storedSpanOf(row: Row): StoredSpan {
  const startMs = numberOf(row.StartMicroseconds) / 1_000;
  const baselineSpanId = textOf(row.BaselineSpanId);
  const parentSpanId = textOf(row.ParentSpanId);
  return {
    traceId: textOf(row.TraceId),
    spanId: textOf(row.SpanId),
    ...(parentSpanId === '' ? {} : { parentSpanId }),
    name: textOf(row.SpanName),
    kind: 'unspecified',
    startMs,
    endMs: startMs + numberOf(row.TookNanoseconds) / 1e6,
    attributes: attributesOf(row.Attributes),
    links:
      baselineSpanId === ''
        ? []
        : [{ traceId: textOf(row.BaselineTraceId), spanId: baselineSpanId, attributes: {} }],
    status: { code: 'unset' },
    resource: { 'service.instance.id': textOf(row.Instance) },
    scope: { name: '' },
  };
}

/** The exporter writes every value as text, lists as JSON. What is not named here was text before. */
const NUMBERS: ReadonlySet<string> = new Set([
  semconv.ATTR_TURN,
  semconv.ATTR_TOKENS_INPUT,
  semconv.ATTR_TOKENS_READ,
  semconv.ATTR_TOKENS_WRITTEN,
  semconv.ATTR_TOKENS_UNCACHED,
  semconv.ATTR_TOKENS_EXPECTED_READ,
  semconv.ATTR_TOKENS_SHARED,
  semconv.ATTR_TOKENS_BEHIND,
  semconv.ATTR_TOKENS_REBILLED,
  semconv.ATTR_COST_USD,
  semconv.ATTR_COST_REBILLED_USD,
  semconv.ATTR_LIFETIME_S,
  semconv.ATTR_DIVERGENCE_BYTE_OFFSET,
  semconv.ATTR_DIVERGENCE_BEFORE_BYTES,
  semconv.ATTR_DIVERGENCE_AFTER_BYTES,
  semconv.ATTR_PROVIDER_TOKENS,
  semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
]);
const FLAGS: ReadonlySet<string> = new Set([semconv.ATTR_FINDING, semconv.ATTR_PROVIDER_AGREES]);
const LISTS: ReadonlySet<string> = new Set([semconv.ATTR_FLOOR, semconv.ATTR_DIVERGENCE_ALSO]);

function attributesOf(map: unknown): StoredAttributes {
  if (typeof map !== 'object' || map === null) return {};
  const attributes: StoredAttributes = {};
  for (const [name, value] of Object.entries(map)) {
    const read = attributeOf(name, textOf(value));
    if (read !== null) attributes[name] = read;
  }
  return attributes;
}

function attributeOf(name: string, text: string): StoredAttributes[string] | null {
  if (FLAGS.has(name)) return text === 'true';
  if (LISTS.has(name)) return listOf(text);
  if (!NUMBERS.has(name)) return text;
  const number = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : null;
}

function listOf(text: string): string[] | null {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((part) => typeof part === 'string') : null;
  } catch {
    return null;
  }
}
