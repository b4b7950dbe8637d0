/** Sums over a set of calls: what was sent, what the cache held, what it cost, and what it could have been. */
import { categoryOf } from './classify.ts';
import { type Measure, sumOf } from './measure.ts';
import { type ReportedCall, startedAtMs } from './reported-call.ts';

export interface Totals {
  readonly calls: number;
  readonly findings: number;
  readonly lineages: number;
  readonly inputTokens: Measure;
  readonly readTokens: Measure;
  readonly writtenTokens: Measure;
  readonly uncachedTokens: Measure;
  /** Over all findings, whoever's doing. */
  readonly rebilledTokens: Measure;
  readonly usd: Measure;
  readonly rebilledUsd: Measure;
  /** The part of it that a change to the requests would have saved. */
  readonly avoidableTokens: Measure;
  readonly avoidableUsd: Measure;
  /** Read tokens among input tokens, over calls that report both. */
  readonly hitRate: number | null;
  /** The same, had no avoidable divergence happened. */
  readonly possibleHitRate: number | null;
  /** Calls without usage: in no rate. */
  readonly callsWithoutUsage: number;
  /** Of the prices used; several when they come from several tables. */
  readonly priceDates: readonly string[];
  /** From the first call to the end of the last one. */
  readonly spanMs: number | null;
}

export function totalsOf(calls: readonly ReportedCall[]): Totals {
  const findings = calls.filter((call) => call.finding);
  const faults = calls.filter((call) => categoryOf(call) === 'fault');
  const measured = calls.filter((call) => call.tokens.cacheRead !== null);
  const measuredInput = measured.reduce((sum, call) => sum + call.tokens.input, 0);
  const measuredRead = measured.reduce((sum, call) => sum + (call.tokens.cacheRead ?? 0), 0);
  const savable = measured
    .filter((call) => categoryOf(call) === 'fault')
    .reduce((sum, call) => sum + (call.tokens.rebilled ?? 0), 0);
  return {
    calls: calls.length,
    findings: findings.length,
    lineages: new Set(calls.map((call) => call.lineage)).size,
    inputTokens: sumOf(calls, (call) => call.tokens.input),
    readTokens: sumOf(calls, (call) => call.tokens.cacheRead),
    writtenTokens: sumOf(calls, (call) => call.tokens.cacheWrite),
    uncachedTokens: sumOf(calls, (call) => call.tokens.uncached),
    rebilledTokens: sumOf(findings, (call) => call.tokens.rebilled),
    // A rejected request is not billed: its cost is not unknown, there is none.
    usd: sumOf(calls, (call) => (call.miss === 'request_rejected' ? undefined : (call.cost?.usd ?? null))),
    rebilledUsd: sumOf(findings, (call) => call.cost?.rebilledUsd ?? null),
    avoidableTokens: sumOf(faults, (call) => call.tokens.rebilled),
    avoidableUsd: sumOf(faults, (call) => call.cost?.rebilledUsd ?? null),
    hitRate: measuredInput > 0 ? measuredRead / measuredInput : null,
    possibleHitRate: measuredInput > 0 ? Math.min(1, (measuredRead + savable) / measuredInput) : null,
    callsWithoutUsage: calls.length - measured.length,
    priceDates: [...new Set(calls.flatMap((call) => call.cost?.priceDate ?? []))].sort(),
    spanMs: spanOf(calls),
  };
}

function spanOf(calls: readonly ReportedCall[]): number | null {
  let firstMs = Number.POSITIVE_INFINITY;
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const call of calls) {
    const atMs = startedAtMs(call);
    if (atMs === null) continue;
    firstMs = Math.min(firstMs, atMs);
    lastMs = Math.max(lastMs, atMs + (call.durationMs ?? 0));
  }
  return firstMs <= lastMs ? lastMs - firstMs : null;
}

/** What the calls would have cost without the avoidable part; unknown where either is. */
export function possibleUsd(totals: Totals): number | null {
  if (totals.usd.value === null || totals.avoidableUsd.value === null) return null;
  return Math.max(0, totals.usd.value - totals.avoidableUsd.value);
}
