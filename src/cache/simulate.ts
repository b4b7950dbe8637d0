/**
 * Simulation of an explicit cache: which entry should this request have read, and, where a longer one exists that it
 * could not reach, why not. Rules: platform.claude.com prompt-caching page, "How automatic prefix checking works".
 */
import { type Fingerprint, prefixAt } from '../fingerprint/fingerprint.ts';
import type { Hasher } from '../fingerprint/hash.ts';
import type { Breakpoint, Prompt } from '../prompt/prompt.ts';
import { readSegments, writtenMarks } from './boundaries.ts';
import type { Entries, Entry } from './entries.ts';
import { hasTellingImages } from './images.ts';
import { positionsOf } from './positions.ts';
import type { CacheRules } from './rules.ts';

/** Why a longer entry for this very prefix was out of reach, strongest reason first. */
type Obstacle =
  | 'no_breakpoint'
  | 'account_or_region_changed'
  | 'concurrent_before_write'
  | 'ttl_expired'
  | 'no_reachable_entry'
  | 'lookback_exceeded'
  | 'images_changed';

export interface Simulation {
  /** Tokens that the rules say were read; 0 where no entry could be. */
  readonly expectedRead: number;
  readonly reached: Entry | null;
  /** Blocks between that entry and the mark that reads it, runs of calls not counted as one. */
  readonly reachedBlocks: number;
  /** The longest prefix of this prompt that was ever written, as far as seen. */
  readonly longest: Entry | null;
  readonly obstacle: Obstacle | null;
}

export interface Simulated {
  readonly prompt: Prompt;
  readonly fingerprint: Fingerprint;
  readonly rules: CacheRules;
  readonly atMs: number | null;
  readonly account: string | null;
  readonly endpoint: string | null;
}

/** Looks from the end of the prompt for entries and stops at the first that is in reach: cost follows what is new. */
export function simulate(call: Simulated, entries: Entries, hasher: Hasher): Simulation {
  const { prompt, fingerprint, rules } = call;
  const hasImages = hasTellingImages(prompt, rules);
  let longest: { entry: Entry; obstacle: Obstacle | null } | undefined;
  let reached: { entry: Entry; segment: number } | undefined;
  let reader: ReturnType<typeof readerOf> | undefined;
  for (let segment = prompt.segments.length - 1; segment >= 0 && !reached; segment -= 1) {
    const entry = entries.get(prefixAt(fingerprint, segment, hasher));
    if (!entry) continue;
    reader ??= readerOf(call);
    const isOfOtherImages =
      rules.imagesSplitMessages && segment >= prompt.headLength && entry.hasImages !== hasImages;
    const obstacle =
      obstacleTo(call, entry) ?? reader(segment) ?? (isOfOtherImages ? 'images_changed' : null);
    longest ??= { entry, obstacle };
    if (obstacle === null) reached = { entry, segment };
  }
  return {
    expectedRead: reached?.entry.tokens ?? 0,
    reached: reached?.entry ?? null,
    reachedBlocks: reached ? blocksBehind(prompt, reached.segment) : 0,
    longest: longest?.entry ?? null,
    obstacle: longest?.obstacle ?? null,
  };
}

/** Blocks, each counted by itself, between an entry and the nearest mark that could read it. */
function blocksBehind(prompt: Prompt, segment: number): number {
  const mark = Math.min(
    ...prompt.breakpoints.map((other) => other.segment).filter((other) => other >= segment),
  );
  const between = prompt.segments.slice(segment + 1, Number.isFinite(mark) ? mark + 1 : undefined);
  return between.filter(({ kind }) => kind !== 'parameter' && kind !== 'thinking').length;
}

/** What keeps this call from an entry, wherever that ends. */
function obstacleTo(call: Simulated, entry: Entry): Obstacle | null {
  const { prompt, rules, atMs } = call;
  if (writtenMarks(prompt, rules).length === 0) return 'no_breakpoint';
  if (differs(entry.account, call.account) || differs(entry.endpoint, call.endpoint))
    return 'account_or_region_changed';
  if (atMs !== null && entry.readableFromMs !== null && entry.readableFromMs > atMs)
    return 'concurrent_before_write';
  if (atMs !== null && entry.usedAtMs !== null && atMs - entry.usedAtMs > entry.ttlMs) return 'ttl_expired';
  return null;
}

/** What keeps a reader from an entry that ends with a segment. */
function readerOf({ prompt, rules }: Simulated): (segment: number) => Obstacle | null {
  if (rules.setsMarks) {
    const looked = readSegments(prompt);
    return (segment) => (looked.has(segment) ? null : 'lookback_exceeded');
  }
  const positions = positionsOf(prompt);
  return (segment) => {
    const behind = prompt.breakpoints.filter((mark) => mark.segment >= segment);
    if (behind.length === 0) return 'no_reachable_entry';
    const isNear = behind.some((mark) => distance(mark, segment, positions) < rules.lookbackPositions);
    return isNear ? null : 'lookback_exceeded';
  };
}

function distance(mark: Breakpoint, segment: number, positions: Int32Array): number {
  return (positions[mark.segment] as number) - (positions[segment] as number);
}

function differs(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}
