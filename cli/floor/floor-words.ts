/** Parts, tokens and money of a head in words, for reports and for the viewer. The figures rest on estimates, and say so. */
import type { FloorPart } from '../../src/diagnosis.ts';
import { formatTokens, formatUsd } from '../terminal/format.ts';
import { type FloorPrice, usdOf } from './floor-price.ts';

/** So many calls make a figure that a person can compare with a bill. */
export const MANY_CALLS = 100;

export function partName({ component, label }: Pick<FloorPart, 'component' | 'label'>): string {
  return component === 'parameters' ? `response schema (${label})` : label;
}

export function estimate(tokens: number): string {
  return `~${formatTokens(Math.round(tokens))}`;
}

function money(usd: number | null, calls: number): string {
  const text = formatUsd(usd === null ? null : usd * calls);
  return usd === null || text.startsWith('<') ? text : `~${text}`;
}

/** What these tokens cost on so many calls, in each of the ways in which they may be billed. */
export function priceWords(tokens: number, price: FloorPrice, calls: number): string {
  const usd = usdOf(tokens, price);
  const ways = [
    ['read back', usd.read],
    ['written', usd.written],
    ['uncached', usd.uncached],
  ] as const;
  return ways
    .flatMap(([name, value]) => (value === null ? [] : [`${money(value, calls)} ${name}`]))
    .join(' · ');
}

/** For columns: at the read price, and at what a call pays that finds nothing to read. */
export function priceCells(tokens: number, price: FloorPrice | null): [string, string] {
  const usd = usdOf(tokens, price);
  return [money(usd.read, MANY_CALLS), money(usd.written ?? usd.uncached, MANY_CALLS)];
}

export function priceTitles(price: FloorPrice | null): [string, string] {
  const full = price !== null && price.writtenUsd !== null ? 'written' : 'uncached';
  return [`${MANY_CALLS}× read`, `${MANY_CALLS}× ${full}`];
}
