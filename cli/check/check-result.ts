/** What `check` found, as data: every form of its answer prints this. Excerpts are left out, as it goes where others read. */
import type { SourceNotes } from '../sources/notes.ts';
import { type Measure, sumOf, sumOfMeasures } from '../summary/measure.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { totalsOf } from '../summary/totals.ts';
import { type KnownFinding, keyOf, knownFindingOf } from './known-findings.ts';
import {
  holdAgainst,
  isUnmeasured,
  type LimitResult,
  type Limits,
  unmeasuredParts,
  withDefaults,
} from './limits.ts';

/** Calls with one cause, phase and place: usually one line of the application's code. */
export interface FindingGroup extends KnownFinding {
  readonly callCount: number;
  readonly rebilledTokens: Measure;
  readonly rebilledUsd: Measure;
  /** Of calls that a server holds, the first of them. */
  readonly calls: readonly ReportedCall[];
  /** The one that billed most tokens again. */
  readonly worst: ReportedCall;
}

/** What a source comes to for `check`, whoever added it up. */
export interface CheckFigures {
  readonly calls: number;
  /** Calls of which nobody knows what they read from the cache. */
  readonly unmeasuredCalls: number;
  readonly hitRate: number | null;
  /** Costliest first. */
  readonly groups: readonly FindingGroup[];
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

interface Judged {
  readonly notes: SourceNotes;
  readonly limits: Limits;
  /** `null`: there is no baseline file. */
  readonly known: readonly KnownFinding[] | null;
  readonly allowsUnmeasured: boolean;
}

export interface Checked extends Judged {
  readonly calls: readonly ReportedCall[];
}

export function checkCalls({ calls, ...judged }: Checked): CheckResult {
  return checkFigures({ figures: figuresOf(calls), ...judged });
}

export function checkFigures({
  figures,
  notes,
  limits,
  known,
  allowsUnmeasured,
}: Judged & { readonly figures: CheckFigures }): CheckResult {
  const { groups, hitRate, calls } = figures;
  const knownKeys = new Set(known?.map(keyOf));
  const newFindings = groups.filter((group) => !knownKeys.has(keyOf(group)));
  const seenKeys = new Set(groups.map(keyOf));
  const results = holdAgainst(withDefaults(limits, known !== null), {
    newFindings: newFindings.reduce((sum, { callCount }) => sum + callCount, 0),
    rebilledTokens: sumOfMeasures(newFindings.map(({ rebilledTokens }) => rebilledTokens)),
    hitRate,
  });
  const unmeasured = unmeasuredParts(figures, notes);
  return {
    passed: results.every(({ passed }) => passed) && (allowsUnmeasured || unmeasured.length === 0),
    calls,
    limits: results,
    newFindings,
    knownFindings: groups.filter((group) => knownKeys.has(keyOf(group))),
    goneFindings: known?.filter((finding) => !seenKeys.has(keyOf(finding))) ?? [],
    unmeasured,
    allowsUnmeasured,
  };
}

export function figuresOf(calls: readonly ReportedCall[]): CheckFigures {
  return {
    calls: calls.length,
    unmeasuredCalls: calls.filter(isUnmeasured).length,
    hitRate: totalsOf(calls).hitRate,
    groups: groupFindings(calls.map((call) => ({ ...call, excerpt: null }))),
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
  return [...members.values()].map(describe).sort(mostRebilledFirst);
}

function describe(calls: readonly [ReportedCall, ...ReportedCall[]]): FindingGroup {
  const worst = calls.reduce((most, call) =>
    (call.tokens.rebilled ?? -1) > (most.tokens.rebilled ?? -1) ? call : most,
  );
  return {
    ...knownFindingOf(worst),
    callCount: calls.length,
    rebilledTokens: sumOf(calls, (call) => call.tokens.rebilled),
    rebilledUsd: sumOf(calls, (call) => call.cost?.rebilledUsd ?? null),
    calls,
    worst,
  };
}

export function mostRebilledFirst(left: FindingGroup, right: FindingGroup): number {
  return (right.rebilledTokens.value ?? 0) - (left.rebilledTokens.value ?? 0);
}
