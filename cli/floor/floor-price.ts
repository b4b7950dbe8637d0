/** What tokens of a head cost on one call: read from the cache, written to it, or neither. */
import type { Prices } from '../../src/cost/prices.ts';

export interface FloorPrice {
  /** USD a token; `null`: the provider bills no such thing, or it is not known. */
  readonly readUsd: number | null;
  readonly writtenUsd: number | null;
  readonly uncachedUsd: number;
  readonly priceModel: string;
  readonly priceDate: string;
}

export interface FloorUsd {
  readonly read: number | null;
  readonly written: number | null;
  readonly uncached: number | null;
}

const MILLION = 1_000_000;

/** The call whose price counts: the size of its input and its time may both decide. */
export interface PricedCall {
  readonly model: string | null;
  readonly input: number;
  readonly at: string | null;
}

export function floorPrice({ model, input, at }: PricedCall, prices: Prices): FloorPrice | null {
  const found = model === null ? null : prices.find(model, input, at === null ? null : Date.parse(at));
  if (found === null) return null;
  const { price } = found;
  const perToken = (perMillion: number | null) => (perMillion === null ? null : perMillion / MILLION);
  return {
    readUsd: perToken(price.cacheRead),
    writtenUsd: perToken(price.cacheWrite),
    uncachedUsd: price.input / MILLION,
    priceModel: found.model,
    priceDate: found.date,
  };
}

export function usdOf(tokens: number, price: FloorPrice | null): FloorUsd {
  const times = (usd: number | null | undefined) => (typeof usd === 'number' ? usd * tokens : null);
  return {
    read: times(price?.readUsd),
    written: times(price?.writtenUsd),
    uncached: times(price?.uncachedUsd),
  };
}
