/** What one recorded run comes to, summed over every turn. A sum of which a part is unknown is unknown: it compares with nothing. */
import { causeOf } from '../summary/classify.ts';
import { type Measure, sumOf } from '../summary/measure.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { totalsOf } from '../summary/totals.ts';

export const FIGURES = [
  'calls',
  'input',
  'read',
  'written',
  'output',
  'hitRate',
  'usd',
  'rebilled',
  'rebilledUsd',
  'findings',
] as const;

export type FigureName = (typeof FIGURES)[number];

export interface Figure {
  /** `null`: not known of the whole run. */
  readonly value: number | null;
  readonly isEstimated: boolean;
}

export interface RunFigures {
  readonly figures: Readonly<Record<FigureName, Figure>>;
  /** Calls with a finding, by cause. */
  readonly findings: ReadonlyMap<string, number>;
}

export function runFigures(calls: readonly ReportedCall[]): RunFigures {
  const answered = calls.filter((call) => !isRefused(call));
  const totals = totalsOf(answered);
  const read = whole(totals.readTokens);
  // Who reports reads and no writes has none to report; only a call without usage leaves them unknown.
  const writers = answered.filter(({ tokens }) => tokens.cacheWrite !== null || tokens.cacheRead === null);
  return {
    figures: {
      calls: known(calls.length),
      input: whole(totals.inputTokens),
      read,
      written: writers.length === 0 ? UNKNOWN : whole(sumOf(writers, ({ tokens }) => tokens.cacheWrite)),
      output: whole(sumOf(answered, ({ outputTokens }) => outputTokens)),
      hitRate: read.value === null ? UNKNOWN : { value: totals.hitRate, isEstimated: false },
      usd: whole(totals.usd),
      rebilled: whole(totals.rebilledTokens),
      rebilledUsd: whole(totals.rebilledUsd),
      findings: known(totals.findings),
    },
    findings: findingsByCause(calls),
  };
}

const UNKNOWN: Figure = { value: null, isEstimated: false };

function known(value: number): Figure {
  return { value, isEstimated: false };
}

function whole({ value, unknownCalls, isEstimated }: Measure): Figure {
  return unknownCalls > 0 ? UNKNOWN : { value, isEstimated };
}

/** The provider took nothing in, so nothing is unknown of it: no tokens, no cost. */
function isRefused({ tokens, certainty }: ReportedCall): boolean {
  return tokens.cacheRead === null && tokens.method !== 'usage' && certainty === 'observed';
}

function findingsByCause(calls: readonly ReportedCall[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const call of calls) {
    if (!call.finding) continue;
    const cause = causeOf(call) ?? 'unknown';
    counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  return counts;
}
