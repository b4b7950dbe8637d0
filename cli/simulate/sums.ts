/** What the calls of a layout come to: tokens, and money where there is a price. */

import type { CacheRules } from '../../src/cache/rules.ts';
import { costOf, type Prices } from '../../src/cost/prices.ts';
import type { TokenUsage } from '../../src/prompt/usage.ts';
import { type Measure, MeasureSum } from '../summary/measure.ts';
import type { RecordedCall } from './recorded-call.ts';

export interface Sums {
  readonly calls: number;
  readonly input: Measure;
  readonly read: Measure;
  /** `null`: no provider here bills writes. */
  readonly written: Measure | null;
  readonly uncached: Measure;
  readonly usd: Measure;
}

export interface Summed {
  readonly call: RecordedCall;
  readonly rules: CacheRules;
  readonly usage: TokenUsage | null;
  readonly usd: number | null;
}

/** `isEstimate`: the figures are foretold and not reported. */
export function sumsOf(calls: readonly Summed[], isEstimate: boolean): Sums {
  const sum = (pick: (summed: Summed) => number | null, some = calls): Measure => {
    const total = new MeasureSum();
    for (const summed of some) total.add(pick(summed), isEstimate);
    return total.measure();
  };
  const writers = calls.filter(({ usage }) => usage === null || usage.cacheWrite !== null);
  return {
    calls: calls.length,
    input: sum(({ usage }) => usage?.input ?? null),
    read: sum(({ usage }) => usage?.cacheRead ?? null),
    written: writers.length === 0 ? null : sum(({ usage }) => usage?.cacheWrite ?? null, writers),
    uncached: sum(({ usage }) => usage?.uncached ?? null),
    usd: sum(({ usd }) => usd),
  };
}

/** A write for the longer lifetime costs twice the input price (Anthropic, Bedrock), also where the table lacks it. */
const LONG_TTL_WRITE_FACTOR = 2;

export function expectedUsd(
  call: RecordedCall,
  expected: TokenUsage,
  { style, provider }: CacheRules,
  prices: Prices,
): number | null {
  const found =
    call.model === null ? null : prices.find(call.model, expected.input, call.request.atMs ?? null);
  if (!found) return null;
  const { price } = found;
  const isDoubled = style === 'explicit' && provider !== 'openai';
  const longTtlWrite = price.longTtlWrite ?? (isDoubled ? price.input * LONG_TTL_WRITE_FACTOR : null);
  return costOf(expected, { ...price, longTtlWrite });
}
