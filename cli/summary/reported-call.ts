/**
 * A call as reports and the viewer see it, wherever it came from: the diagnosis, and what a picture of it needs.
 * The same call may be reported twice while it is still arriving; the later one with the same `id` replaces the earlier.
 */

import type { Diagnosis, Evidence, FloorPart, LayoutRun } from '../../src/diagnosis.ts';
import type { Api } from '../../src/exchange.ts';

export interface ReportedCall extends Omit<Diagnosis, 'api'> {
  /** A store knows the provider, not which of its APIs was spoken. */
  readonly api: Api | null;
  /** Unique inside one source and stable while it is followed. */
  readonly id: string;
  /** As reported; `null`: unknown. */
  readonly outputTokens: number | null;
  readonly durationMs: number | null;
  readonly timeToFirstByteMs: number | null;
  /** Empty where the source does not hold it. */
  readonly layout: readonly LayoutRun[];
  /** What each part of the head takes; `null` where the head is as it was before, or the source does not hold it. */
  readonly floor: readonly FloorPart[] | null;
  /** What differs, by length and hash: shown where its text is not. */
  readonly change: Evidence['change'];
  /** For how long after its start its entry may be read; `null` where that is not documented or nothing was marked. */
  readonly lifetimeMs: number | null;
  /** Text around the divergence; only where content capture was on. */
  readonly excerpt: { readonly before: string; readonly after: string } | null;
}

/** How a call is found that another names as its baseline. */
export type CallsByIndex = Pick<ReadonlyMap<number, ReportedCall>, 'get'>;

export function callsByIndex(calls: Iterable<ReportedCall>): CallsByIndex {
  // Indices are dense: an array is filled in a tenth of the time of a map.
  const list: ReportedCall[] = [];
  for (const call of calls) list[call.index] = call;
  return { get: (index) => list[index] };
}

export function startedAtMs(call: ReportedCall): number | null {
  const atMs = call.at === null ? Number.NaN : Date.parse(call.at);
  return Number.isNaN(atMs) ? null : atMs;
}

/** In order of time; where a time is unknown, in order of arrival. */
export function earliestFirst(left: ReportedCall, right: ReportedCall): number {
  const difference = (startedAtMs(left) ?? Number.NaN) - (startedAtMs(right) ?? Number.NaN);
  return difference || left.index - right.index; // NaN counts as no difference
}
