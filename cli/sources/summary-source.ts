/** Where sums over calls come from: calls that are held here, or a server that adds them up and hands out the calls one asks for. */
import { type CheckFigures, figuresOf } from '../check/check-result.ts';
import { HISTORY_STEPS, partsOf, type ReportParts } from '../report/report.ts';
import { hitRateHistory } from '../summary/hit-rate-history.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { type LineageSummary, type Summary, summarize } from '../summary/summary.ts';

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** What a first screen shows. Of each group the costliest call is held, and of lineages none. */
export interface Overview {
  readonly summary: Summary;
  readonly history: readonly (number | null)[];
}

export interface SummarySource {
  overview(steps: number): Promise<Overview>;
  reportParts(): Promise<ReportParts>;
  checkFigures(): Promise<CheckFigures>;
  /** Those with most that a change would have saved first. */
  lineages(page: Page): Promise<readonly LineageSummary[]>;
  /** Oldest first. */
  lineageCalls(lineage: string, page: Page): Promise<readonly ReportedCall[]>;
}

/** `calls`: in order of time. */
export function summarySourceOf(calls: readonly ReportedCall[]): SummarySource {
  const summary = summarize(calls);
  return {
    overview: async (steps = HISTORY_STEPS) => ({ summary, history: hitRateHistory(calls, steps) }),
    reportParts: async () => partsOf(calls),
    checkFigures: async () => figuresOf(calls),
    lineages: async ({ offset, limit }) =>
      [...summary.lineages].sort(mostAvoidableFirst).slice(offset, offset + limit),
    lineageCalls: async (lineage, { offset, limit }) =>
      (summary.lineages.find(({ name }) => name === lineage)?.calls ?? []).slice(offset, offset + limit),
  };
}

function mostAvoidableFirst({ totals: left }: LineageSummary, { totals: right }: LineageSummary): number {
  return (
    (right.avoidableUsd.value ?? -1) - (left.avoidableUsd.value ?? -1) ||
    (right.avoidableTokens.value ?? -1) - (left.avoidableTokens.value ?? -1)
  );
}
