/** All that a report says, whatever form it takes. */
import type { NoteList } from '../sources/notes.ts';
import { type FindWindow, type WindowUse, windowUses } from '../summary/context-window.ts';
import { type CostliestCall, costliestCall } from '../summary/costliest-call.ts';
import { hitRateHistory } from '../summary/hit-rate-history.ts';
import { type CallsByIndex, callsByIndex, type ReportedCall } from '../summary/reported-call.ts';
import { type ResetCause, resetsByCause } from '../summary/resets.ts';
import { type Summary, summarize } from '../summary/summary.ts';
import { type Unseen, unseenParts } from '../summary/unseen.ts';

export type ReportNotes = Readonly<Record<'unreadFiles' | 'unreadable' | 'skippedLines', NoteList>>;

export interface Report {
  readonly title: string;
  readonly notes: ReportNotes;
  readonly callsByIndex: CallsByIndex;
  readonly summary: Summary;
  readonly costliest: CostliestCall | null;
  /** The hit rate over time. */
  readonly history: readonly (number | null)[];
  readonly resets: readonly ResetCause[];
  readonly unseen: readonly Unseen[];
  /** Most telling first. */
  readonly windows: readonly WindowUse[];
}

/** What a source has to say of itself for a report, whoever added it up. */
export interface ReportParts {
  readonly summary: Summary;
  readonly costliest: CostliestCall | null;
  readonly history: readonly (number | null)[];
  /** All calls that are held, and those that they were compared with. */
  readonly calls: readonly ReportedCall[];
}

export const HISTORY_STEPS = 80;

export function partsOf(calls: readonly ReportedCall[]): ReportParts {
  return {
    summary: summarize(calls),
    costliest: costliestCall(calls),
    history: hitRateHistory(calls, HISTORY_STEPS),
    calls,
  };
}

export function reportOn(
  title: string,
  calls: readonly ReportedCall[],
  notes: ReportNotes,
  findWindow: FindWindow,
): Report {
  return reportOf(title, partsOf(calls), notes, findWindow);
}

export function reportOf(
  title: string,
  { summary, costliest, history, calls }: ReportParts,
  notes: ReportNotes,
  findWindow: FindWindow,
): Report {
  const byIndex = callsByIndex(calls);
  const held = summary.lineages.filter((lineage) => lineage.calls.length > 0);
  return {
    title,
    notes,
    callsByIndex: byIndex,
    summary,
    costliest,
    history,
    resets: resetsByCause(summary),
    unseen: unseenParts(summary, notes),
    windows: windowUses(held, byIndex, findWindow),
  };
}
