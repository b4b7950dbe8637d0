/**
 * Calls with one cause in one phase belong together: they are usually one line of the application's code.
 */
import { type Category, categoryOf, causeOf } from './classify.ts';
import { byMeasure, type Measure, sumOf } from './measure.ts';
import { type CallsByIndex, callsByIndex, type ReportedCall, startedAtMs } from './reported-call.ts';

export interface CauseGroup {
  /** Stable while calls arrive, so that a selection can hold on to it. */
  readonly id: string;
  readonly category: Exclude<Category, 'quiet'>;
  readonly cause: string;
  readonly phase: string | null;
  /** The path where all agree, else that of the costliest call. */
  readonly path: string | null;
  /** How many different paths there are. */
  readonly placeCount: number;
  readonly callCount: number;
  /** Oldest first; of calls that a server holds, the first of them. */
  readonly calls: readonly ReportedCall[];
  readonly worst: ReportedCall;
  readonly rebilledTokens: Measure;
  readonly rebilledUsd: Measure;
  /** Those of the calls for which the cache had to start anew. */
  readonly resets: Resets;
  /** The longest pause before a call that found its entry lapsed. */
  readonly longestIdleMs: number | null;
}

export interface Resets {
  readonly calls: number;
  readonly rebilledTokens: Measure;
  readonly rebilledUsd: Measure;
}

export function groupByCause(calls: readonly ReportedCall[]): CauseGroup[] {
  const members = new Map<string, ReportedCall[]>();
  for (const call of calls) {
    const category = categoryOf(call);
    if (category === 'quiet') continue;
    const id = [category, causeOf(call), call.scope.phase ?? ''].join('\n');
    const group = members.get(id);
    if (group) group.push(call);
    else members.set(id, [call]);
  }
  const byIndex = callsByIndex(calls);
  return [...members].map(([id, group]) => describe(id, group, byIndex)).sort(costliestFirst);
}

function describe(id: string, calls: readonly ReportedCall[], byIndex: CallsByIndex): CauseGroup {
  const [first] = calls as [ReportedCall, ...ReportedCall[]]; // a group is made for its first call
  const worst = calls.reduce((worse, call) => (worstCallFirst(call, worse) < 0 ? call : worse), first);
  const paths = new Set(calls.map((call) => call.divergence?.path ?? null));
  const idleMs = calls.map((call) => idleBeforeMs(call, byIndex)).filter((idle) => idle !== null);
  return {
    id,
    category: categoryOf(first) as CauseGroup['category'], // quiet calls are in no group
    cause: causeOf(first) ?? 'unknown',
    phase: first.scope.phase,
    path: worst.divergence?.path ?? null,
    placeCount: paths.size,
    callCount: calls.length,
    calls,
    worst,
    rebilledTokens: sumOf(calls, (call) => call.tokens.rebilled),
    rebilledUsd: rebilledUsdOf(calls),
    resets: resetsOf(calls.filter(isReset)),
    longestIdleMs: idleMs.length === 0 ? null : idleMs.reduce((longest, idle) => Math.max(longest, idle)),
  };
}

function resetsOf(calls: readonly ReportedCall[]): Resets {
  return {
    calls: calls.length,
    rebilledTokens: sumOf(calls, (call) => call.tokens.rebilled),
    rebilledUsd: rebilledUsdOf(calls),
  };
}

/** A finding without usage is one of unknown size; a prompt below the provider's minimum lost nothing. */
function isReset({ finding, tokens }: ReportedCall): boolean {
  return finding || (tokens.rebilled ?? 0) > 0;
}

function rebilledUsdOf(calls: Iterable<ReportedCall>): Measure {
  return sumOf(calls, (call) => call.cost?.rebilledUsd ?? null);
}

/** From the start of the baseline, which is where a lifetime counts from, to the start of this call. */
export function idleBeforeMs(call: ReportedCall, byIndex: CallsByIndex): number | null {
  const baseline = call.baseline === null ? undefined : byIndex.get(call.baseline);
  const fromMs = baseline && startedAtMs(baseline);
  const toMs = startedAtMs(call);
  return fromMs == null || toMs === null ? null : Math.max(0, toMs - fromMs);
}

/** Money decides; where no price is known, tokens do. */
export function costliestFirst(left: CauseGroup, right: CauseGroup): number {
  return (
    byMeasure(left.rebilledUsd, right.rebilledUsd) || byMeasure(left.rebilledTokens, right.rebilledTokens)
  );
}

function worstCallFirst(left: ReportedCall, right: ReportedCall): number {
  return (
    (right.cost?.rebilledUsd ?? -1) - (left.cost?.rebilledUsd ?? -1) ||
    (right.tokens.rebilled ?? -1) - (left.tokens.rebilled ?? -1) ||
    left.index - right.index
  );
}
