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

export const TOTALS_SQL = `
  count() AS calls,
  countIf(Finding) AS findings,
  uniqExact(cityHash64(Instance, Lineage)) AS lineages,
  ${measureSql('input', 'Input')},
  ${measureSql('read', 'Read')},
  ${measureSql('written', 'Written')},
  ${measureSql('uncached', 'Uncached')},
  ${measureSql('usd', 'Usd', "ifNull(Miss, '') != 'request_rejected'")},
  ${measureSql('rebilled', 'Rebilled', 'Finding')},
  ${measureSql('rebilledUsd', 'RebilledUsd', 'Finding')},
  ${measureSql('avoidable', 'Rebilled', 'IsFault')},
  ${measureSql('avoidableUsd', 'RebilledUsd', 'IsFault')},
  countIf(Read IS NULL) AS withoutUsage,
  toFloat64(sumIf(Input, Read IS NOT NULL)) AS measuredInput,
  toFloat64(sumIf(ifNull(Rebilled, 0), Read IS NOT NULL AND IsFault)) AS savable,
  groupUniqArrayIf(PriceDate, Usd IS NOT NULL OR RebilledUsd IS NOT NULL) AS priceDates,
  toFloat64(min(toUnixTimestamp64Milli(At))) AS firstMs,
  max(toUnixTimestamp64Milli(At) + Took / 1e6) AS lastMs`;

export function totalsOfRow(row: Row): Totals {
  const calls = numberOf(row.calls);
  const measuredInput = numberOf(row.measuredInput);
  const measuredRead = numberOf(row.read);
  const savable = numberOf(row.savable);
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
    avoidableTokens: measureOf(row, 'avoidable'),
    avoidableUsd: measureOf(row, 'avoidableUsd'),
    hitRate: measuredInput > 0 ? measuredRead / measuredInput : null,
    possibleHitRate: measuredInput > 0 ? Math.min(1, (measuredRead + savable) / measuredInput) : null,
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
