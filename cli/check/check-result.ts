/** What `check` found, as data: every form of its answer prints this. Excerpts are left out, as it goes where others read. */
import type { NoteList } from '../sources/notes.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { totalsOf } from '../summary/totals.ts';
import { type KnownFinding, keyOf, knownFindingOf } from './known-findings.ts';
import { holdAgainst, type LimitResult, type Limits, unmeasuredParts, withDefaults } from './limits.ts';

/** Calls with one cause, phase and place: usually one line of the application's code. */
export interface FindingGroup extends KnownFinding {
  readonly calls: readonly ReportedCall[];
  /** The one that billed most tokens again. */
  readonly worst: ReportedCall;
}

export interface CheckResult {
  readonly passed: boolean;
  readonly calls: number;
  readonly limits: readonly LimitResult[];
  /** Costliest first. */
  readonly newFindings: readonly FindingGroup[];
  /** Listed in the baseline file. */
  readonly knownFindings: readonly FindingGroup[];
  /** Listed in the baseline file and no longer seen. */
  readonly goneFindings: readonly KnownFinding[];
  readonly unmeasured: readonly string[];
  readonly allowsUnmeasured: boolean;
}

export interface Checked {
  readonly calls: readonly ReportedCall[];
  readonly notes: { readonly unreadable: NoteList; readonly skippedLines: NoteList };
  readonly limits: Limits;
  /** `null`: there is no baseline file. */
  readonly known: readonly KnownFinding[] | null;
  readonly allowsUnmeasured: boolean;
}

export function checkCalls({ calls, notes, limits, known, allowsUnmeasured }: Checked): CheckResult {
  const knownKeys = new Set(known?.map(keyOf));
  const groups = groupFindings(calls.map((call) => ({ ...call, excerpt: null })));
  const newFindings = groups.filter((group) => !knownKeys.has(keyOf(group)));
  const seenKeys = new Set(groups.map(keyOf));
  const results = holdAgainst(withDefaults(limits, known !== null), {
    newFindings: newFindings.flatMap((group) => group.calls),
    hitRate: totalsOf(calls).hitRate,
  });
  const unmeasured = unmeasuredParts(calls, notes);
  return {
    passed: results.every(({ passed }) => passed) && (allowsUnmeasured || unmeasured.length === 0),
    calls: calls.length,
    limits: results,
    newFindings,
    knownFindings: groups.filter((group) => knownKeys.has(keyOf(group))),
    goneFindings: known?.filter((finding) => !seenKeys.has(keyOf(finding))) ?? [],
    unmeasured,
    allowsUnmeasured,
  };
}

function groupFindings(calls: readonly ReportedCall[]): FindingGroup[] {
  const members = new Map<string, [ReportedCall, ...ReportedCall[]]>();
  for (const call of calls) {
    if (!call.finding) continue;
    const key = keyOf(knownFindingOf(call));
    const group = members.get(key);
    if (group) group.push(call);
    else members.set(key, [call]);
  }
  return [...members.values()].map(describe).sort((left, right) => rebilledOf(right) - rebilledOf(left));
}

function describe(calls: readonly [ReportedCall, ...ReportedCall[]]): FindingGroup {
  const worst = calls.reduce((most, call) =>
    (call.tokens.rebilled ?? -1) > (most.tokens.rebilled ?? -1) ? call : most,
  );
  return { ...knownFindingOf(worst), calls, worst };
}

function rebilledOf({ calls }: FindingGroup): number {
  return calls.reduce((sum, call) => sum + (call.tokens.rebilled ?? 0), 0);
}
