/** All that a report says, as data: the text, Markdown and JSON forms and the viewer's first screen print this. */
import { type CauseGroup, groupByCause } from './groups.ts';
import type { ReportedCall } from './reported-call.ts';
import { type Totals, totalsOf } from './totals.ts';

export interface Breakdown {
  readonly name: string | null;
  readonly calls: readonly ReportedCall[];
  readonly totals: Totals;
}

export interface Summary {
  readonly totals: Totals;
  /** Costliest first: what a change to the requests mends. */
  readonly faults: readonly CauseGroup[];
  /** What the prompt is not to blame for. */
  readonly circumstances: readonly CauseGroup[];
  readonly declared: readonly CauseGroup[];
  readonly phases: readonly Breakdown[];
  readonly lineages: readonly Breakdown[];
}

export function summarize(calls: readonly ReportedCall[]): Summary {
  const groups = groupByCause(calls);
  return {
    totals: totalsOf(calls),
    faults: groups.filter((group) => group.category === 'fault'),
    circumstances: groups.filter((group) => group.category === 'circumstance'),
    declared: groups.filter((group) => group.category === 'declared'),
    phases: breakDown(calls, (call) => call.scope.phase).sort(mostAvoidableFirst),
    lineages: breakDown(calls, (call) => call.lineage),
  };
}

/** Known of every call; not where a log held no prompt to compare. */
export function hasEveryPrefixHeld({ faults, circumstances }: Summary): boolean {
  return faults.length === 0 && circumstances.every(({ cause }) => cause !== 'unexplained');
}

export function breakDown(
  calls: readonly ReportedCall[],
  nameOf: (call: ReportedCall) => string | null,
): Breakdown[] {
  const parts = new Map<string | null, ReportedCall[]>();
  for (const call of calls) {
    const name = nameOf(call);
    const part = parts.get(name);
    if (part) part.push(call);
    else parts.set(name, [call]);
  }
  return [...parts].map(([name, part]) => ({ name, calls: part, totals: totalsOf(part) }));
}

function mostAvoidableFirst(left: Breakdown, right: Breakdown): number {
  return (
    (right.totals.avoidableUsd.value ?? 0) - (left.totals.avoidableUsd.value ?? 0) ||
    (right.totals.inputTokens.value ?? 0) - (left.totals.inputTokens.value ?? 0)
  );
}
