/** Sums over a set of calls: what was sent, what the cache held, what it cost, and what it could have been. */
import { categoryOf } from './classify.ts';
import { isEstimated, type Measure, MeasureSum } from './measure.ts';
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
  /** When the first call began. */
  readonly firstMs: number | null;
  /** From the first call to the end of the last one. */
  readonly spanMs: number | null;
}

export function totalsOf(calls: Iterable<ReportedCall>): Totals {
  const sum = new TotalsSum();
  for (const call of calls) sum.add(call);
  return sum.totals();
}

const MEASURES = [
  'inputTokens',
  'readTokens',
  'writtenTokens',
  'uncachedTokens',
  'rebilledTokens',
  'usd',
  'rebilledUsd',
  'avoidableTokens',
  'avoidableUsd',
] as const;

/** One pass for all figures: a hundred thousand calls are summed while a person waits for the next frame. */
export class TotalsSum {
  #calls = 0;
  #findings = 0;
  #callsWithoutUsage = 0;
  readonly #lineages = new Set<string>();
  readonly #priceDates = new Set<string>();
  readonly #measures = {
    inputTokens: new MeasureSum(),
    readTokens: new MeasureSum(),
    writtenTokens: new MeasureSum(),
    uncachedTokens: new MeasureSum(),
    rebilledTokens: new MeasureSum(),
    usd: new MeasureSum(),
    rebilledUsd: new MeasureSum(),
    avoidableTokens: new MeasureSum(),
    avoidableUsd: new MeasureSum(),
  };
  #measuredInput = 0;
  #measuredRead = 0;
  #savable = 0;
  #firstMs = Number.POSITIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;

  add(call: ReportedCall): void {
    const { tokens, cost } = call;
    const measures = this.#measures;
    const isEstimate = isEstimated(call);
    const isFault = categoryOf(call) === 'fault';
    this.#calls += 1;
    this.#lineages.add(call.lineage);
    if (cost !== null) this.#priceDates.add(cost.priceDate);
    measures.inputTokens.add(tokens.input, isEstimate);
    measures.readTokens.add(tokens.cacheRead, isEstimate);
    measures.writtenTokens.add(tokens.cacheWrite, isEstimate);
    measures.uncachedTokens.add(tokens.uncached, isEstimate);
    // A rejected request is not billed: its cost is not unknown, there is none.
    if (call.miss !== 'request_rejected') measures.usd.add(cost?.usd ?? null, isEstimate);
    if (call.finding) {
      this.#findings += 1;
      measures.rebilledTokens.add(tokens.rebilled, isEstimate);
      measures.rebilledUsd.add(cost?.rebilledUsd ?? null, isEstimate);
    }
    if (isFault) {
      measures.avoidableTokens.add(tokens.rebilled, isEstimate);
      measures.avoidableUsd.add(cost?.rebilledUsd ?? null, isEstimate);
    }
    if (tokens.cacheRead === null) this.#callsWithoutUsage += 1;
    else {
      this.#measuredInput += tokens.input;
      this.#measuredRead += tokens.cacheRead;
      if (isFault) this.#savable += tokens.rebilled ?? 0;
    }
    const atMs = startedAtMs(call);
    if (atMs === null) return;
    this.#firstMs = Math.min(this.#firstMs, atMs);
    this.#lastMs = Math.max(this.#lastMs, atMs + (call.durationMs ?? 0));
  }

  merge(other: TotalsSum): void {
    this.#calls += other.#calls;
    this.#findings += other.#findings;
    this.#callsWithoutUsage += other.#callsWithoutUsage;
    for (const lineage of other.#lineages) this.#lineages.add(lineage);
    for (const date of other.#priceDates) this.#priceDates.add(date);
    for (const name of MEASURES) this.#measures[name].merge(other.#measures[name]);
    this.#measuredInput += other.#measuredInput;
    this.#measuredRead += other.#measuredRead;
    this.#savable += other.#savable;
    this.#firstMs = Math.min(this.#firstMs, other.#firstMs);
    this.#lastMs = Math.max(this.#lastMs, other.#lastMs);
  }

  totals(): Totals {
    const measures = this.#measures;
    const input = this.#measuredInput;
    return {
      calls: this.#calls,
      findings: this.#findings,
      lineages: this.#lineages.size,
      inputTokens: measures.inputTokens.measure(),
      readTokens: measures.readTokens.measure(),
      writtenTokens: measures.writtenTokens.measure(),
      uncachedTokens: measures.uncachedTokens.measure(),
      rebilledTokens: measures.rebilledTokens.measure(),
      usd: measures.usd.measure(),
      rebilledUsd: measures.rebilledUsd.measure(),
      avoidableTokens: measures.avoidableTokens.measure(),
      avoidableUsd: measures.avoidableUsd.measure(),
      hitRate: input > 0 ? this.#measuredRead / input : null,
      possibleHitRate: input > 0 ? Math.min(1, (this.#measuredRead + this.#savable) / input) : null,
      callsWithoutUsage: this.#callsWithoutUsage,
      priceDates: [...this.#priceDates].sort(),
      firstMs: this.#firstMs <= this.#lastMs ? this.#firstMs : null,
      spanMs: this.#firstMs <= this.#lastMs ? this.#lastMs - this.#firstMs : null,
    };
  }
}

/** What the calls would have cost without the avoidable part; unknown where either is. */
export function possibleUsd(totals: Totals): number | null {
  if (totals.usd.value === null || totals.avoidableUsd.value === null) return null;
  return Math.max(0, totals.usd.value - totals.avoidableUsd.value);
}
