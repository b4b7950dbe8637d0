/**
 * What was learned of a model's tokens so far, and of one call: it travels with a head, so that an instance which sees the
 * next call of a conversation estimates as the one that saw all of them would.
 */
export interface Learned {
  /** Calls that were learned from: who has seen more knows better. */
  readonly calls: number;
  /** Sums behind the tokens per character of what was appended. */
  readonly growth: Sums | null;
  /** Sums behind the factor between reported tokens and length. */
  readonly lengths: Sums | null;
  /** The estimated total of a call without usage, where it rests on a report. */
  readonly estimated: number | null;
}

type Sums = readonly [tokens: number, measure: number];
