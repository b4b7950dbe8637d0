/**
 * Tokens: what was in the cache for this call, what of it should have been read, and what was billed again.
 * `null` is "not known"; a figure that rests on an estimate never claims a loss.
 */
import type { TokenUsage } from '../prompt/usage.ts';
import { writtenMarks } from './boundaries.ts';
import type { Judged } from './judged.ts';
import { isIdleTooLong, isStartedTooEarly } from './miss-cause.ts';
import { sharedIntoSegment } from './shared-into.ts';

/** Tokens that the baseline left in the cache for this prompt, had nothing changed; `null`: not known. */
export function availableTokens(call: Judged): number | null {
  const { baseline, rules, simulation } = call;
  const usage = baseline?.outcome.usage ?? null;
  if (!baseline || !usage) return simulation?.longest?.tokens ?? null;
  if (call.isBaselineSummed) return null;
  if (call.isShared) return sharedAvailable(call, usage);
  // Below the documented minimum a read is luck: none is promised, and none is lost.
  if (usage.input < rules.minimumTokens) return 0;
  if (rules.style === 'explicit') return cachedByMarks(call, usage);
  // An Anthropic-style relay that reports neither reads nor writes says nothing about what it holds.
  if (baseline.api === 'anthropic.messages' && !usage.cacheRead && !usage.cacheWrite) return null;
  return floorTo(usage.input, rules.granularityTokens);
}

/** A provider that sets the last mark itself caches all of the prompt, also where it does not say how much it wrote. */
function cachedByMarks({ rules, before, prompt }: Judged, usage: TokenUsage): number {
  const cached = Math.min(usage.input, (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0));
  if (!rules.setsMarks || writtenMarks(before ?? prompt, rules).length === 0) return cached;
  return usage.cacheWrite === null || cached === 0 ? usage.input : cached;
}

function sharedAvailable(call: Judged, usage: TokenUsage): number | null {
  if (call.rules.style === 'explicit') return sharedEntry(call, usage);
  const shared = floorTo(Math.min(call.sharedTokens, usage.input), call.rules.granularityTokens);
  return shared < call.rules.minimumTokens ? 0 : shared;
}

/** The longest entry of the shared part; where its size is an estimate nothing is claimed to be lost. */
function sharedEntry(
  { simulation, divergence, siblingHeadTokens }: Judged,
  usage: TokenUsage,
): number | null {
  // Two heads that differ by an accident: the other's marked head would have served both.
  if (divergence) return Math.min(siblingHeadTokens, (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0));
  const longest = simulation?.longest;
  if (!longest) return 0;
  return longest.isMeasured ? longest.tokens : null;
}

/** Documented minimum, or less where a shorter prompt was read all the same. */
function seenMinimum({ rules, usage, baseline }: Judged): number {
  const reads = [usage?.cacheRead ?? 0, baseline?.outcome.usage?.cacheRead ?? 0].filter((read) => read > 0);
  return Math.min(rules.minimumTokens, ...reads);
}

export function floorTo(tokens: number, granularity: number): number {
  return Math.floor(tokens / granularity) * granularity;
}

/** Contract §7: min(previous read + previous written − current read, current tokens not read). */
export function rebilledTokens(call: Judged, available: number | null): number | null {
  const { usage } = call;
  if (usage === null || usage.cacheRead === null || available === null) return null;
  return Math.max(0, Math.min(available - usage.cacheRead, usage.input - usage.cacheRead));
}

export function expectedReadOf(call: Judged, available: number | null): number | null {
  const { rules, simulation, baseline } = call;
  const input = call.usage?.input ?? Number.POSITIVE_INFINITY;
  const read = call.usage?.cacheRead ?? 0;
  if (call.isBaselineSummed) return null;
  if (call.prompt.missingHistory?.reason === 'cached_content')
    return baseline?.outcome.usage?.cacheRead ?? null;
  // Something was there before the traffic that was seen began.
  if (!baseline && read > 0 && !simulation?.reached) return null;
  if (rules.style === 'explicit' && simulation) return Math.min(input, simulation.expectedRead);
  if (!baseline) return 0;
  if (!baseline.outcome.usage) return null;
  if (isIdleTooLong(call) || isStartedTooEarly(call)) return 0;
  if (call.divergence === null) return available === null ? null : Math.min(input, available);
  if (call.divergence.component === 'model') return 0;
  const before = call.sharedTokens + sharedIntoSegment(call);
  const left = Math.max(Math.min(before, available ?? before), Math.min(call.passedTokens, input));
  const shared = floorTo(left, rules.granularityTokens);
  return shared < seenMinimum(call) ? 0 : shared;
}

/** Reads wobble: by a block of the provider, and by a few percent where the cache is best effort. */
export function toleranceOf({ rules, usage }: Judged, available: number | null): number {
  // More than the whole prompt cannot be read, however much was there.
  const readable = Math.min(available ?? 0, usage?.input ?? 0);
  return Math.max(rules.style === 'explicit' ? 16 : 128, rules.granularityTokens, readable * rules.noise);
}
