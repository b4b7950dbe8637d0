/** The orders in which lineages can stand; `s` goes from one to the next. Pure. */
import { byMeasure } from '../summary/measure.ts';
import type { LineageSummary } from '../summary/summary.ts';

const LINEAGE_ORDERS = ['avoidable', 'rebilled', 'cost', 'hit', 'calls', 'seen', 'name'] as const;
export type LineageOrder = (typeof LINEAGE_ORDERS)[number];

export interface LineageSort {
  readonly by: LineageOrder;
  readonly isReversed: boolean;
}

/** What costs most stands first; so does the worst hit rate, the newest call. */
const COMPARE: Readonly<Record<LineageOrder, (left: LineageSummary, right: LineageSummary) => number>> = {
  avoidable: (left, right) =>
    byMeasure(left.totals.avoidableUsd, right.totals.avoidableUsd) ||
    byMeasure(left.totals.avoidableTokens, right.totals.avoidableTokens),
  rebilled: (left, right) => byMeasure(left.totals.rebilledTokens, right.totals.rebilledTokens),
  cost: (left, right) => byMeasure(left.totals.usd, right.totals.usd),
  hit: (left, right) => (left.totals.hitRate ?? 2) - (right.totals.hitRate ?? 2),
  calls: (left, right) => right.totals.calls - left.totals.calls,
  seen: (left, right) => (right.lastAt ?? '').localeCompare(left.lastAt ?? ''),
  name: (left, right) => left.words.localeCompare(right.words, 'en', { numeric: true }),
};

export function sortLineages(
  lineages: readonly LineageSummary[],
  { by, isReversed }: LineageSort,
): LineageSummary[] {
  const sorted = [...lineages].sort(COMPARE[by]);
  return isReversed ? sorted.reverse() : sorted;
}

export function nextOrder(by: LineageOrder): LineageOrder {
  return LINEAGE_ORDERS[(LINEAGE_ORDERS.indexOf(by) + 1) % LINEAGE_ORDERS.length] ?? by;
}
