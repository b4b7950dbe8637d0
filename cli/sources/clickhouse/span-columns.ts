/**
 * Rows of the collector's ClickHouse exporter (`otel_traces`, attributes as text in a map) → the columns that the queries
 * read. Written once: without a view it is done at each query, and the view of docs/clickhouse.md is made of the same text.
 */
import * as semconv from '../../../src/telemetry/semconv.ts';

type SpanKind = 'call' | 'divergence' | 'miss' | 'inference' | 'unreadable';

const of = (name: string) => `SpanAttributes['${name}']`;
const has = (name: string) => `mapContains(SpanAttributes, '${name}')`;
/** An empty text is a value; an absent one is not. */
const text = (name: string) => `if(${has(name)}, ${of(name)}, NULL)`;
const integer = (name: string) => `toInt64OrNull(${of(name)})`;
const decimal = (name: string) => `toFloat64OrNull(${of(name)})`;
const firstText = (...names: string[]) => `coalesce(${names.map(text).join(', ')})`;
/** A span's own name within all spans: a text of both ids would take four times the room in each join. */
const key = (trace: string, span: string) => `cityHash64(${trace}, ${span})`;

/** What a call, its divergence and the GenAI span around it say of themselves; the rest of a span nobody asks for. */
const KEPT_NAMES = [
  semconv.ATTR_GEN_AI_OPERATION_NAME,
  semconv.ATTR_GEN_AI_REQUEST_MODEL,
  semconv.ATTR_GEN_AI_RESPONSE_MODEL,
  semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
];

const KIND = `multiIf(
    SpanName = '${semconv.SPAN_DIVERGENCE}', 'divergence',
    SpanName = '${semconv.SPAN_MISS}', 'miss',
    ${has(semconv.ATTR_LINEAGE)}, 'call',
    ${has(semconv.ATTR_UNREADABLE)}, 'unreadable',
    ${has(semconv.ATTR_GEN_AI_OPERATION_NAME)}, 'inference',
    '')`;

const INSTANCE = `if(mapContains(ResourceAttributes, 'service.instance.id'),
    ResourceAttributes['service.instance.id'], ResourceAttributes['process.pid'])`;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly sql: string;
}

const column = (name: string, type: string, sql: string = name): Column => ({ name, type, sql });

const WORD = 'LowCardinality(String)';
const WORD_OR_NULL = 'LowCardinality(Nullable(String))';
const TOKENS = 'Nullable(Int64) CODEC(ZSTD(1))';
const USD = 'Nullable(Float64) CODEC(ZSTD(1))';
const TEXT = 'String CODEC(ZSTD(1))';

export const SPAN_COLUMNS: readonly Column[] = [
  column('Kind', WORD, KIND),
  column('Timestamp', 'DateTime64(9) CODEC(Delta, ZSTD(1))'),
  column('Duration', 'UInt64 CODEC(ZSTD(1))'),
  column('TraceId', TEXT),
  column('SpanId', TEXT),
  column('ParentSpanId', TEXT),
  column('SpanName', WORD),
  column('Instance', WORD, INSTANCE),
  column('Lineage', TEXT, of(semconv.ATTR_LINEAGE)),
  column('Key', 'UInt64', key('TraceId', 'SpanId')),
  column('ParentKey', 'UInt64', `if(ParentSpanId = '', 0, ${key('TraceId', 'ParentSpanId')})`),
  column('BaselineTraceId', TEXT, 'Links.TraceId[1]'),
  column('BaselineSpanId', TEXT, 'Links.SpanId[1]'),
  column(
    'BaselineKey',
    'UInt64',
    `if(empty(Links.TraceId), 0, ${key('Links.TraceId[1]', 'Links.SpanId[1]')})`,
  ),
  column('Thread', 'Nullable(String) CODEC(ZSTD(1))', text(semconv.ATTR_THREAD)),
  column('Phase', WORD_OR_NULL, text(semconv.ATTR_PHASE)),
  column('Delegation', 'Nullable(String) CODEC(ZSTD(1))', text(semconv.ATTR_DELEGATION)),
  column(
    'Model',
    WORD_OR_NULL,
    firstText(semconv.ATTR_GEN_AI_REQUEST_MODEL, semconv.ATTR_GEN_AI_RESPONSE_MODEL),
  ),
  column('PriceModel', WORD_OR_NULL, text(semconv.ATTR_PRICE_MODEL)),
  column('PriceDate', WORD, of(semconv.ATTR_PRICE_DATE)),
  column(
    'IsNotable',
    'UInt8',
    `${of(semconv.ATTR_FINDING)} = 'true' OR ${has(semconv.ATTR_MISS)} OR ${has(semconv.ATTR_EXPECTED)}`,
  ),
  column('Finding', 'UInt8', `${of(semconv.ATTR_FINDING)} = 'true'`),
  column('Certainty', WORD, of(semconv.ATTR_CERTAINTY)),
  column('Miss', WORD_OR_NULL, text(semconv.ATTR_MISS)),
  column('Expected', WORD_OR_NULL, text(semconv.ATTR_EXPECTED)),
  column(
    'Input',
    'Int64 CODEC(ZSTD(1))',
    `coalesce(${integer(semconv.ATTR_TOKENS_INPUT)}, ${integer(semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS)}, 0)`,
  ),
  column('Read', TOKENS, integer(semconv.ATTR_TOKENS_READ)),
  column('Written', TOKENS, integer(semconv.ATTR_TOKENS_WRITTEN)),
  column('Uncached', TOKENS, integer(semconv.ATTR_TOKENS_UNCACHED)),
  column('Rebilled', TOKENS, integer(semconv.ATTR_TOKENS_REBILLED)),
  column('IsEstimated', 'UInt8', `${of(semconv.ATTR_TOKENS_METHOD)} != 'usage'`),
  column('Usd', USD, decimal(semconv.ATTR_COST_USD)),
  column('RebilledUsd', USD, decimal(semconv.ATTR_COST_REBILLED_USD)),
  column('LifetimeSeconds', USD, decimal(semconv.ATTR_LIFETIME_S)),
  column('DivergenceComponent', WORD, of(semconv.ATTR_DIVERGENCE_COMPONENT)),
  column(
    'DivergenceKind',
    WORD,
    `if(${has(semconv.ATTR_DIVERGENCE_KIND)}, ${of(semconv.ATTR_DIVERGENCE_KIND)}, 'unknown')`,
  ),
  column('DivergencePath', TEXT, of(semconv.ATTR_DIVERGENCE_PATH)),
  column('DivergenceLabel', TEXT, of(semconv.ATTR_DIVERGENCE_LABEL)),
  column('Unreadable', WORD, of(semconv.ATTR_UNREADABLE)),
  column(
    'Attributes',
    'Map(LowCardinality(String), String) CODEC(ZSTD(1))',
    `mapFilter((name, value) -> startsWith(name, 'prompt_cache.') OR name IN (${KEPT_NAMES.map((name) => `'${name}'`).join(', ')}), SpanAttributes)`,
  ),
];

/** The columns as they are made of the exporter's. */
export const SELECTED_COLUMNS = SPAN_COLUMNS.map(({ name, sql }) =>
  name === sql ? `  ${name}` : `  ${sql} AS ${name}`,
).join(',\n');

/** A divergence ends with its call, and the GenAI span around a call began before it: by no more than this. */
export const SLACK = 'toIntervalHour(1)';

const SINCE = 'fromUnixTimestamp64Milli({sinceMs:Int64})';
const UNTIL = 'fromUnixTimestamp64Milli({untilMs:Int64})';

/** Each with a range of time: no query goes through a whole table. The names of it are bound like any other value. */
export function spansOf(
  kind: SpanKind,
  hasView: boolean,
  { select = '*', condition }: { readonly select?: string; readonly condition?: string | undefined } = {},
): string {
  const isCall = kind === 'call' || kind === 'unreadable';
  const range = isCall
    ? `Timestamp >= ${SINCE} AND Timestamp < ${UNTIL}`
    : `Timestamp >= ${SINCE} - ${SLACK} AND Timestamp < ${UNTIL} + ${SLACK}`;
  // Planned in a third of the time that subqueries of all columns within one another take.
  if (hasView)
    return `(SELECT ${select} FROM {database:Identifier}.{view:Identifier} WHERE Kind = '${kind}' AND ${range}${condition === undefined ? '' : ` AND ${condition}`})`;
  // The exporter's table is sorted by name.
  const name = NAMES[kind] === undefined ? '' : ` AND SpanName = '${NAMES[kind]}'`;
  return `(SELECT ${select} FROM (SELECT
${SELECTED_COLUMNS}
FROM {database:Identifier}.{table:Identifier}
WHERE ${range}${name} AND Kind = '${kind}')${condition === undefined ? '' : ` WHERE ${condition}`})`;
}

const NAMES: Readonly<Partial<Record<SpanKind, string>>> = {
  divergence: semconv.SPAN_DIVERGENCE,
  miss: semconv.SPAN_MISS,
};
