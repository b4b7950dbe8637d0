/** The middle of several runs and how far they lie apart, and whether two such ranges tell two arms apart. */
import type { Figure } from './run-figures.ts';

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** Runs of which the figure is known. */
  readonly runs: number;
  /** Runs of which it is not: in none of the figures above. */
  readonly leftOut: number;
  readonly isEstimated: boolean;
}

/** `null`: known of no run. */
export function spreadOf(figures: readonly Figure[]): Spread | null {
  const known = figures.filter((figure) => figure.value !== null);
  if (known.length === 0) return null;
  const values = known.map(({ value }) => value as number).sort((left, right) => left - right);
  return {
    median: medianOf(values),
    min: values[0] as number,
    max: values.at(-1) as number,
    runs: values.length,
    leftOut: figures.length - values.length,
    isEstimated: known.some(({ isEstimated }) => isEstimated),
  };
}

function medianOf(sorted: readonly number[]): number {
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** `one_run`: a single run shows no spread, so nothing can be told from chance. */
export type Shown = 'apart' | 'overlap' | 'one_run' | 'unknown';

export function shownBy(a: Spread | null, b: Spread | null): Shown {
  if (a === null || b === null) return 'unknown';
  if (a.runs === 1 || b.runs === 1) return 'one_run';
  return a.min <= b.max && b.min <= a.max ? 'overlap' : 'apart';
}

/** How often the ranges of two arms lie apart although nothing differs: of all orders of the runs, those with one arm first. */
export function chanceOfApart(runsA: number, runsB: number): number {
  let orders = 1;
  for (let index = 1; index <= runsB; index += 1) orders = (orders * (runsA + index)) / index;
  return Math.min(1, 2 / orders);
}
