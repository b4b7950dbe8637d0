/** What test/bench/clickhouse.mjs measures, in one file that node runs. */
export { createAsker } from '../../../cli/sources/clickhouse/asker.ts';
export { clickhouseSummary } from '../../../cli/sources/clickhouse/clickhouse-summary.ts';
export { QUERY_SETTINGS } from '../../../cli/sources/clickhouse/run-query.ts';
export { hoursDefinition, TRACES_TABLE, viewDefinition } from './traces-table.ts';
