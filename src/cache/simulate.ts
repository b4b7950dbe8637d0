/**
 * Simulation of an explicit cache: which entry should this request have read, and, where a longer one exists that it
 * could not reach, why not. Rules: platform.claude.com prompt-caching page, "How automatic prefix checking works".
 */
import { type Fingerprint, prefixAt } from '../fingerprint/fingerprint.ts';
import type { Hasher } from '../fingerprint/hash.ts';
import type { Breakpoint, Prompt } from '../prompt/prompt.ts';
import type { Entries, Entry } from './entries.ts';
import { positionsOf } from './positions.ts';
import type { CacheRules } from './rules.ts';

/** Why a longer entry for this very prefix was out of reach, strongest reason first. */
type Obstacle =
  | 'no_breakpoint'
  | 'account_or_region_changed'
  | 'concurrent_before_write'
  | 'ttl_expired'
  | 'no_reachable_entry'
  | 'lookback_exceeded';

export interface Simulation {
  /** Tokens that the rules say were read; 0 where no entry could be. */
  readonly expectedRead: number;
  readonly reached: Entry | null;
  /** The longest prefix of this prompt that was ever written, as far as seen. */
  readonly longest: Entry | null;
  readonly obstacle: Obstacle | null;
  /** Time since the unreachable entry was last used. */
  readonly idleMs: number | null;
}

export interface Simulated {
  readonly prompt: Prompt;
  readonly fingerprint: Fingerprint;
  readonly rules: CacheRules;
  readonly atMs: number | null;
  readonly account: string | null;
  readonly endpoint: string | null;
}

export function simulate(call: Simulated, entries: Entries, hasher: Hasher): Simulation {
  const { prompt, fingerprint } = call;
  const found: { entry: Entry; segment: number }[] = [];
  for (let segment = prompt.segments.length - 1; segment >= 0; segment -= 1) {
    const entry = entries.get(prefixAt(fingerprint, segment, hasher));
    if (entry) found.push({ entry, segment });
  }
  const positions = found.length > 0 ? positionsOf(prompt) : new Int32Array();
  const judged = found.map(({ entry, segment }) => ({
    entry,
    obstacle: obstacleTo(call, entry, segment, positions),
  }));
  const reached = judged.find(({ obstacle }) => obstacle === null)?.entry ?? null;
  const longest = judged[0];
  const isBlocked = longest !== undefined && longest.entry !== reached;
  return {
    expectedRead: reached?.tokens ?? 0,
    reached,
    longest: longest?.entry ?? null,
    obstacle: isBlocked ? longest.obstacle : null,
    idleMs:
      longest && call.atMs !== null && longest.entry.usedAtMs !== null
        ? call.atMs - longest.entry.usedAtMs
        : null,
  };
}

function obstacleTo(call: Simulated, entry: Entry, segment: number, positions: Int32Array): Obstacle | null {
  const { prompt, rules, atMs } = call;
  if (prompt.breakpoints.length === 0) return 'no_breakpoint';
  if (differs(entry.account, call.account) || differs(entry.endpoint, call.endpoint))
    return 'account_or_region_changed';
  if (atMs !== null && entry.readableFromMs !== null && entry.readableFromMs > atMs)
    return 'concurrent_before_write';
  if (atMs !== null && entry.usedAtMs !== null && atMs - entry.usedAtMs > entry.ttlMs) return 'ttl_expired';
  const behind = prompt.breakpoints.filter((mark) => mark.segment >= segment);
  if (behind.length === 0) return 'no_reachable_entry';
  return behind.some((mark) => distance(mark, segment, positions) < rules.lookbackPositions)
    ? null
    : 'lookback_exceeded';
}

function distance(mark: Breakpoint, segment: number, positions: Int32Array): number {
  return (positions[mark.segment] as number) - (positions[segment] as number);
}

function differs(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}
