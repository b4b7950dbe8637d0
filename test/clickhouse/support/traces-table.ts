/** The table of the collector's ClickHouse exporter, and spans as the exporter writes them into it. */
import { SELECTED_COLUMNS, SPAN_COLUMNS } from '../../../cli/sources/clickhouse/span-columns.ts';
import { hoursDefinition } from '../../../cli/sources/clickhouse/sums.ts';
import type { StoredAttributes, StoredSpan } from '../../../src/store/otlp-json.ts';
import type { Engine } from './engine.ts';

/** exporter/clickhouseexporter/internal/sql_templates/traces_table.sql of opentelemetry-collector-contrib, without its indices. */
export const TRACES_TABLE = (name: string) => `CREATE TABLE ${name} (
  Timestamp DateTime64(9) CODEC(Delta, ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  SpanId String CODEC(ZSTD(1)),
  ParentSpanId String CODEC(ZSTD(1)),
  TraceState String CODEC(ZSTD(1)),
  SpanName LowCardinality(String) CODEC(ZSTD(1)),
  SpanKind LowCardinality(String) CODEC(ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1)),
  ResourceAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  ScopeName String CODEC(ZSTD(1)),
  ScopeVersion String CODEC(ZSTD(1)),
  SpanAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  Duration UInt64 CODEC(ZSTD(1)),
  StatusCode LowCardinality(String) CODEC(ZSTD(1)),
  StatusMessage String CODEC(ZSTD(1)),
  Events Nested (Timestamp DateTime64(9), Name LowCardinality(String), Attributes Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
  Links Nested (TraceId String, SpanId String, TraceState String, Attributes Map(LowCardinality(String), String)) CODEC(ZSTD(1))
) ENGINE = MergeTree
PARTITION BY toDate(Timestamp)
ORDER BY (ServiceName, SpanName, toDateTime(Timestamp))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1`;

/** As docs/clickhouse.md has it. */
export const viewDefinition = (table: string, view: string) => [
  `CREATE TABLE ${view} (
${SPAN_COLUMNS.map(({ name, type }) => `  ${name} ${type}`).join(',\n')},
  INDEX Keys Key TYPE bloom_filter(0.001) GRANULARITY 1
) ENGINE = ReplacingMergeTree
PARTITION BY toDate(Timestamp)
ORDER BY (Kind, IsNotable, Instance, Lineage, Timestamp, Key)
SETTINGS index_granularity = 1024;`,
  `CREATE MATERIALIZED VIEW ${view}_mv TO ${view} AS SELECT
${SELECTED_COLUMNS}
FROM ${table}
WHERE Kind != '';`,
];
export { hoursDefinition };

export function insertSpans(engine: Engine, table: string, spans: readonly StoredSpan[]): void {
  for (let from = 0; from < spans.length; from += 2_000) {
    const lines = spans.slice(from, from + 2_000).map((span) => JSON.stringify(rowOf(span)));
    engine.command(`INSERT INTO ${table} FORMAT JSONEachRow\n${lines.join('\n')}`);
  }
}

function rowOf(span: StoredSpan) {
  return {
    Timestamp: timeOf(span.startMs),
    TraceId: span.traceId,
    SpanId: span.spanId,
    ParentSpanId: span.parentSpanId ?? '',
    SpanName: span.name,
    ServiceName: String(span.resource['service.name'] ?? ''),
    ResourceAttributes: asText(span.resource),
    SpanAttributes: asText(span.attributes),
    Duration: Math.round((span.endMs - span.startMs) * 1e6),
    'Links.TraceId': span.links.map(({ traceId }) => traceId),
    'Links.SpanId': span.links.map(({ spanId }) => spanId),
    'Links.TraceState': span.links.map(() => ''),
    'Links.Attributes': span.links.map(() => ({})),
  };
}

/** The exporter writes every value as text, lists as JSON. */
function asText(attributes: StoredAttributes): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      Array.isArray(value) ? JSON.stringify(value) : String(value),
    ]),
  );
}

function timeOf(ms: number): string {
  const microseconds = Math.round((ms % 1) * 1_000);
  return `${new Date(Math.floor(ms)).toISOString().replace('T', ' ').replace('Z', '')}${String(microseconds).padStart(3, '0')}`;
}
