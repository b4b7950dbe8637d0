/** cli/summary/totals.ts in the server's words: the columns that sum a set of calls up, and a row of them as totals. */
import type { Measure } from '../../summary/measure.ts';
import type { Totals } from '../../summary/totals.ts';
import type { Row } from './run-query.ts';

export function measureSql(name: string, figure: string, condition = '1'): string {
  return `toFloat64(sumOrNullIf(${figure}, ${condition})) AS ${name}, countIf(${figure} IS NULL AND ${condition}) AS ${name}Unknown, countIf(${figure} IS NOT NULL AND IsEstimated AND ${condition}) > 0 AS ${name}Estimated`;
}

export function measureOf(row: Row, name: string): Measure {
  const unknownCalls = numberOf(row[`${name}Unknown`]);
  const known = numberOrNull(row[name]);
  return {
    value: unknownCalls === 0 ? (known ?? 0) : known,
    unknownCalls,
    isEstimated: numberOf(row[`${name}Estimated`]) > 0,
  };
}

function measureOfSumsSql(name: string, part: string): string {
  return `toFloat64(sum(${part}Sum)) AS ${name}, sum(${part}Unknown) AS ${name}Unknown, max(${part}Estimated) AS ${name}Estimated`;
}

/** Of parts of sums; with `AVOIDABLE_SQL` they are the totals. */
export const TOTALS_SQL = `
  sum(Calls) AS calls,
  sum(Findings) AS findings,
  uniqExact(cityHash64(Instance, Lineage)) AS lineages,
  ${measureOfSumsSql('input', 'Input')},
  ${measureOfSumsSql('read', 'Read')},
  ${measureOfSumsSql('written', 'Written')},
  ${measureOfSumsSql('uncached', 'Uncached')},
  ${measureOfSumsSql('usd', 'Usd')},
  ${measureOfSumsSql('rebilled', 'Rebilled')},
  ${measureOfSumsSql('rebilledUsd', 'RebilledUsd')},
  sum(ReadUnknown) AS withoutUsage,
  toFloat64(sum(MeasuredInput)) AS measuredInput,
  groupUniqArrayArray(PriceDates) AS priceDates,
  toFloat64(toUnixTimestamp64Milli(min(First))) AS firstMs,
  max(LastMs) AS lastMs`;

/** Of calls that have been judged (call-columns.ts). */
export const SAVABLE_SQL = 'toFloat64(sumIf(ifNull(Rebilled, 0), Read IS NOT NULL AND IsFault)) AS savable';
export const AVOIDABLE_SQL = `
  ${measureSql('avoidable', 'Rebilled', 'IsFault')},
  ${measureSql('avoidableUsd', 'RebilledUsd', 'IsFault')},
  ${SAVABLE_SQL}`;

/** The part that a change to the requests would have saved. */
export interface Avoidable {
  readonly tokens: Measure;
  readonly usd: Measure;
  /** Of calls with usage. */
  readonly savableTokens: number;
}

export function avoidableOfRow(row: Row): Avoidable {
  return {
    tokens: measureOf(row, 'avoidable'),
    usd: measureOf(row, 'avoidableUsd'),
    savableTokens: numberOf(row.savable),
  };
}

export function totalsOfRow(row: Row, avoidable: Avoidable): Totals {
  const calls = numberOf(row.calls);
  const measuredInput = numberOf(row.measuredInput);
  const measuredRead = numberOf(row.read);
  return {
    calls,
    findings: numberOf(row.findings),
    lineages: numberOf(row.lineages),
    inputTokens: measureOf(row, 'input'),
    readTokens: measureOf(row, 'read'),
    writtenTokens: measureOf(row, 'written'),
    uncachedTokens: measureOf(row, 'uncached'),
    rebilledTokens: measureOf(row, 'rebilled'),
    usd: measureOf(row, 'usd'),
    rebilledUsd: measureOf(row, 'rebilledUsd'),
    avoidableTokens: avoidable.tokens,
    avoidableUsd: avoidable.usd,
    hitRate: measuredInput > 0 ? measuredRead / measuredInput : null,
    possibleHitRate:
      measuredInput > 0 ? Math.min(1, (measuredRead + avoidable.savableTokens) / measuredInput) : null,
    callsWithoutUsage: numberOf(row.withoutUsage),
    priceDates: textsOf(row.priceDates).sort(),
    firstMs: calls === 0 ? null : numberOf(row.firstMs),
    spanMs: calls === 0 ? null : numberOf(row.lastMs) - numberOf(row.firstMs),
  };
}

/** Servers differ in whether they put 64-bit numbers in quotes. */
export function numberOf(value: unknown): number {
  return Number(value ?? 0);
}

export function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string') : [];
}
