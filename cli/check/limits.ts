/** The limits of `check` and what a run comes to against them. */
import type { SourceNotes } from '../sources/notes.ts';
import type { Measure } from '../summary/measure.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { countOf, formatMeasure, formatShare, formatTokens } from '../terminal/format.ts';

export interface Limits {
  /** Tokens that new findings may bill again, over all calls. */
  readonly maxRebilledTokens?: number | undefined;
  /** Calls with a new finding. */
  readonly maxFindings?: number | undefined;
  /** Read tokens among input tokens, from 0 to 1. */
  readonly minHitRate?: number | undefined;
}

export interface LimitResult {
  readonly name: 'max-findings' | 'max-rebilled' | 'min-hit';
  readonly limit: number;
  /** `null` where nothing of it is known. */
  readonly value: number | null;
  readonly passed: boolean;
  /** `2 new findings, at most 0 allowed` */
  readonly text: string;
}

export interface Measured {
  /** Calls with one. */
  readonly newFindings: number;
  readonly rebilledTokens: Measure;
  readonly hitRate: number | null;
}

/** Where no limit is named, none may be new. */
export function withDefaults(limits: Limits, hasKnownFindings: boolean): Limits {
  const namesOther = limits.maxRebilledTokens !== undefined || limits.minHitRate !== undefined;
  if (limits.maxFindings !== undefined || (namesOther && !hasKnownFindings)) return limits;
  return { ...limits, maxFindings: 0 };
}

/** A figure of which nothing is known holds: `unmeasured` is what fails then, and what can be allowed. */
export function holdAgainst(
  limits: Limits,
  { newFindings, rebilledTokens, hitRate }: Measured,
): LimitResult[] {
  const results: LimitResult[] = [];
  if (limits.maxFindings !== undefined) results.push(findingsResult(limits.maxFindings, newFindings));
  if (limits.maxRebilledTokens !== undefined)
    results.push(rebilledResult(limits.maxRebilledTokens, rebilledTokens));
  if (limits.minHitRate !== undefined) results.push(hitResult(limits.minHitRate, hitRate));
  return results;
}

function findingsResult(limit: number, value: number): LimitResult {
  const text = `${countOf(value, 'new finding')}, at most ${formatTokens(limit)} allowed`;
  return { name: 'max-findings', limit, value, passed: value <= limit, text };
}

function rebilledResult(limit: number, measure: Measure): LimitResult {
  const { value } = measure;
  const text = `${formatMeasure(measure, formatTokens)} tokens billed again, at most ${formatTokens(limit)} allowed`;
  return { name: 'max-rebilled', limit, value, passed: value === null || value <= limit, text };
}

function hitResult(limit: number, value: number | null): LimitResult {
  const text = `${formatShare(value)} of input read from cache, at least ${formatShare(limit)} wanted`;
  return { name: 'min-hit', limit, value, passed: value === null || value >= limit, text };
}

/** What keeps a run from being judged, in words. An empty list: all of it was measured. */
export function unmeasuredParts(
  { calls, unmeasuredCalls }: { readonly calls: number; readonly unmeasuredCalls: number },
  notes: SourceNotes,
): string[] {
  const parts: string[] = [];
  if (calls === 0) parts.push('no call could be diagnosed');
  if (unmeasuredCalls > 0)
    parts.push(`${countOf(unmeasuredCalls, 'call')} without a count of tokens read from cache`);
  if (notes.unreadFiles.count > 0)
    parts.push(`${countOf(notes.unreadFiles.count, 'file')} that could not be read to its end`);
  if (notes.unreadable.count > 0)
    parts.push(`${countOf(notes.unreadable.count, 'call')} whose body could not be read`);
  if (notes.skippedLines.count > 0)
    parts.push(`${countOf(notes.skippedLines.count, 'line')} of the log skipped`);
  return parts;
}

/** A request that the provider refused reports no usage either, but that is known: the cache had no part in it. */
export function isUnmeasured({ tokens, certainty }: ReportedCall): boolean {
  return tokens.cacheRead === null && certainty !== 'observed';
}
