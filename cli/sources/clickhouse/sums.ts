/**
 * Calls as parts of sums, one shape wherever they come from: whole hours that the server added up as the calls arrived
 * (docs/clickhouse.md), or calls row by row. The columns are written once: the table of hours is made of the same text.
 * What a change to the requests would have saved is not among them: only a call and its divergence tell that together.
 */
import { SPAN_CALL } from '../../../src/telemetry/semconv.ts';
import { type CallColumns, callsSql, judgedSql } from './call-columns.ts';

interface SumColumn {
  readonly name: string;
  readonly how: 'sum' | 'min' | 'max' | 'groupUniqArrayArray';
  readonly type: string;
  /** Of one call. */
  readonly sql: string;
}

const amount = (name: string, sql: string, how: SumColumn['how'] = 'sum'): SumColumn => ({
  name,
  how,
  type: how === 'max' ? 'UInt8' : 'UInt64',
  sql: how === 'max' ? `toUInt8(${sql})` : `toUInt64(${sql})`,
});

/** See cli/summary/measure.ts: the sum of what is known, how many are unknown, and whether there is an estimate. */
function measure(name: string, type: 'Int64' | 'Float64', figure: string, condition?: string): SumColumn[] {
  const counted = condition === undefined ? figure : `if(${condition}, ${figure}, NULL)`;
  const and = condition === undefined ? '' : `${condition} AND `;
  return [
    {
      name: `${name}Sum`,
      how: 'sum',
      type: `Nullable(${type})`,
      sql: `CAST(${counted} AS Nullable(${type}))`,
    },
    amount(`${name}Unknown`, `${and}${figure} IS NULL`),
    amount(`${name}Estimated`, `${and}${figure} IS NOT NULL AND IsEstimated`, 'max'),
  ];
}

const IS_BILLED = "ifNull(Miss, '') != 'request_rejected'";
const IS_UNPRICED = `Read IS NOT NULL AND Usd IS NULL AND ${IS_BILLED}`;

const SUMS: readonly SumColumn[] = [
  amount('Calls', '1'),
  amount('Findings', 'Finding'),
  amount('Beneath', `SpanName = '${SPAN_CALL}' AND ParentKey != 0`),
  ...measure('Input', 'Int64', 'Input'),
  ...measure('Read', 'Int64', 'Read'),
  ...measure('Written', 'Int64', 'Written'),
  ...measure('Uncached', 'Int64', 'Uncached'),
  ...measure('Usd', 'Float64', 'Usd', IS_BILLED),
  ...measure('Rebilled', 'Int64', 'Rebilled', 'Finding'),
  ...measure('RebilledUsd', 'Float64', 'RebilledUsd', 'Finding'),
  amount('MeasuredInput', 'if(Read IS NULL, 0, Input)'),
  amount('Unpriced', IS_UNPRICED),
  {
    name: 'FirstUnpriced',
    how: 'min',
    type: 'Nullable(DateTime64(9))',
    sql: `CAST(if(${IS_UNPRICED}, At, NULL) AS Nullable(DateTime64(9)))`,
  },
  {
    name: 'PriceDates',
    how: 'groupUniqArrayArray',
    type: 'Array(String)',
    sql: 'CAST(if(Usd IS NULL AND RebilledUsd IS NULL, [], [PriceDate]) AS Array(String))',
  },
  { name: 'First', how: 'min', type: 'DateTime64(9)', sql: 'At' },
  { name: 'LastMs', how: 'max', type: 'Float64', sql: 'toUnixTimestamp64Milli(At) + Took / 1e6' },
];

const OF_CALLS = SUMS.map(({ name, sql }) => `${sql} AS ${name}`).join(', ');
const OF_HOURS = SUMS.map(({ name }) => name).join(', ');
const KEYS = 'Instance, Lineage, Phase, CallModel';

/** Of whatever zone the server is. */
export const hourOfSql = "toStartOfHour(Timestamp, 'UTC')";
const ROW_HOURS = `(SELECT toDateTime(arrayJoin(arrayMap(hour -> toUInt32(hour), {rowHours:Array(String)})), 'UTC'))`;

export const ROW_HOURS_CONDITION = `${hourOfSql} IN ${ROW_HOURS}`;

const HOURS = `{database:Identifier}.{hours:Identifier}
WHERE Hour >= toStartOfHour(fromUnixTimestamp64Milli({sinceMs:Int64}), 'UTC') AND Hour < fromUnixTimestamp64Milli({untilMs:Int64})`;
export const hoursSql = `(SELECT * FROM ${HOURS})`;

/** `hasHours`: hours that are not among `rowHours` have been added up already. */
export function sumsSql(columns: CallColumns & { readonly hasHours: boolean }): string {
  const rows = (condition?: string) => `SELECT ${KEYS}, ${OF_CALLS} FROM ${callsSql(columns, condition)}`;
  if (!columns.hasHours) return `(${rows()})`;
  return `(${rows(ROW_HOURS_CONDITION)}
UNION ALL
SELECT ${KEYS}, ${OF_HOURS} FROM ${HOURS} AND Hour NOT IN ${ROW_HOURS})`;
}

/** Each call, judged, and as a part of sums; where there is a condition, few of them. */
export function callSumsSql(columns: CallColumns, condition?: string): string {
  return `(SELECT *, ${OF_CALLS} FROM ${judgedSql(columns, condition, condition !== undefined)})`;
}

/** As docs/clickhouse.md has it: fed by the view, so that whatever goes into that goes into this. */
export const hoursDefinition = (view: string) => [
  `CREATE TABLE ${view}_hourly (
  Hour DateTime('UTC'),
  Instance LowCardinality(String),
  Lineage String CODEC(ZSTD(1)),
  Phase LowCardinality(Nullable(String)),
  CallModel LowCardinality(Nullable(String)),
${SUMS.map(({ name, how, type }) => `  ${name} SimpleAggregateFunction(${how}, ${type}) CODEC(ZSTD(1))`).join(',\n')}
) ENGINE = AggregatingMergeTree
PARTITION BY toDate(Hour)
ORDER BY (Instance, Lineage, Hour, Phase, CallModel)
SETTINGS allow_nullable_key = 1;`,
  `CREATE MATERIALIZED VIEW ${view}_hourly_mv TO ${view}_hourly AS SELECT
  ${hourOfSql} AS Hour,
  Instance,
  Lineage,
  Phase,
  coalesce(Model, PriceModel) AS CallModel,
${SUMS.map(({ name, how, sql }) => `  ${how}(${sql}) AS ${name}`).join(',\n')}
FROM (SELECT *, Timestamp AS At, Duration AS Took FROM ${view} WHERE Kind = 'call')
GROUP BY Hour, Instance, Lineage, Phase, CallModel;`,
];
