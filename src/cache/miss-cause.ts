/**
 * Why tokens were not read although the prompt did not diverge. Strong evidence first (another account, another upstream,
 * not readable yet, expired), then the rules of marks and look-back, then weak evidence, then the provider.
 */
import type { Certainty, Miss } from '../diagnosis.ts';
import { writtenMarks } from './boundaries.ts';
import type { Judged } from './judged.ts';

export interface FoundMiss {
  readonly cause: Miss;
  readonly certainty: Certainty;
  readonly isCostly: boolean;
}

export interface Loss {
  readonly lost: boolean;
  readonly available: number | null;
}

export function missCause(call: Judged, { lost, available }: Loss): FoundMiss | null {
  if (call.usage === null || call.usage.cacheRead === null) return inferredCause(call);
  if (isBelowMinimum(call)) return belowMinimum(call);
  if (isStartedTooEarly(call) && call.usage.cacheRead < call.sharedTokens * 0.9 && isLargeEnough(call)) {
    return { cause: 'concurrent_before_write', certainty: 'observed', isCostly: true };
  }
  if (!lost || isEstimateNoise(call, available)) return null;
  const known = knownCause(call);
  if (known !== null) return { cause: known, certainty: 'observed', isCostly: true };
  return { cause: weakCause(call), certainty: 'inferred', isCostly: true };
}

/** Without usage only what the rules say for certain is said: the lifetime. */
function inferredCause(call: Judged): FoundMiss | null {
  const isExpired = call.simulation ? call.simulation.obstacle === 'ttl_expired' : isIdleTooLong(call);
  return isExpired && call.baseline && !call.isShared
    ? { cause: 'ttl_expired', certainty: 'inferred', isCostly: true }
    : null;
}

function isLargeEnough(call: Judged): boolean {
  return (call.usage?.input ?? 0) >= call.rules.minimumTokens;
}

function isBelowMinimum({ usage, rules, prompt }: Judged): boolean {
  if (usage?.cacheRead !== 0 || (usage.cacheWrite ?? 0) > 0) return false;
  if (rules.style === 'explicit' && writtenMarks(prompt, rules).length === 0) return false;
  return usage.input < rules.minimumTokens;
}

/** Worth a person's time where caching was asked for and the prompt is not tiny. */
function belowMinimum({ usage, rules }: Judged): FoundMiss {
  return {
    cause: 'below_minimum',
    certainty: 'observed',
    isCostly: rules.style === 'explicit' && (usage?.input ?? 0) >= 1_024,
  };
}

/** The shared part is an estimate where the baseline is another conversation: only a clear loss counts. */
function isEstimateNoise(call: Judged, available: number | null): boolean {
  return (
    call.isShared && call.rules.style === 'implicit' && (call.usage?.cacheRead ?? 0) >= (available ?? 0) * 0.5
  );
}

function knownCause(call: Judged): Miss | null {
  const { baseline, simulation, prompt } = call;
  if (simulation?.obstacle === 'account_or_region_changed' || isElsewhere(call))
    return 'account_or_region_changed';
  if (baseline && differs(baseline.outcome.upstream, call.upstream)) return 'routing';
  if (baseline && baseline.facts.promptCacheKey !== prompt.promptCacheKey) return 'routing';
  if (baseline && isRoutedOtherwise(call)) return 'routing';
  if (simulation?.obstacle && simulation.obstacle !== 'images_changed') return simulation.obstacle;
  if (!simulation?.longest && isIdleTooLong(call)) return 'ttl_expired';
  return isThinkingDropped(call) ? 'server_strips_thinking' : null;
}

function isElsewhere(call: Judged): boolean {
  const before = call.baseline?.facts;
  if (!before) return false;
  return (
    differs(before.account, call.account) ||
    differs(before.endpoint, call.endpoint) ||
    differs(before.region, call.prompt.region) ||
    differs(before.inferenceGeo, call.inferenceGeo)
  );
}

function differs(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}

export function isIdleTooLong({ baseline, atMs, rules }: Judged): boolean {
  const before = baseline?.facts.atMs ?? null;
  return before !== null && atMs !== null && atMs - before > rules.ttlMs;
}

/** The baseline had not begun to answer when this call was sent. */
export function isStartedTooEarly({ baseline, atMs }: Judged): boolean {
  if (!baseline || atMs === null || baseline.facts.atMs === null || atMs < baseline.facts.atMs) return false;
  const { isInFlight, firstByteAtMs } = baseline.outcome;
  return isInFlight || (firstByteAtMs !== null && firstByteAtMs > atMs);
}

/** Thinking on, an older model, thinking in the history, and a plain user message at the end (extended-thinking page). */
function isThinkingDropped({ prompt, rules }: Judged): boolean {
  if (!rules.dropsThinking || !prompt.isThinkingOn) return false;
  const messages = prompt.segments.slice(prompt.headLength);
  const last = messages.at(-1);
  const newest = messages.filter(({ messageIndex }) => messageIndex === last?.messageIndex);
  return (
    last?.role === 'user' &&
    newest.every(({ kind }) => kind !== 'tool_result') &&
    messages.some(({ kind }) => kind === 'thinking')
  );
}

/** Nothing on record explains it: without a routing key it is likely another machine. */
function weakCause(call: Judged): Miss {
  const { rules, prompt, headers } = call;
  // Runs of calls count as one position by the documentation; some who measured counted each block.
  if ((call.simulation?.reachedBlocks ?? 0) > rules.lookbackPositions) return 'lookback_exceeded';
  if (rules.routingField === null) return 'provider_side';
  const isKeyed = prompt.promptCacheKey !== null || headers[rules.routingField] !== undefined;
  return isKeyed ? 'provider_side' : 'routing';
}

function isRoutedOtherwise({ rules, headers, routingBefore }: Judged): boolean {
  const now = rules.routingField === null ? null : (headers[rules.routingField] ?? null);
  return routingBefore !== null && routingBefore !== now;
}
