/**
 * A cache that holds every prompt as it passes and matches by tokens: the read is the longest common start with any
 * prompt before, into the segment that differs, in steps of the provider.
 */
import { floorTo } from '../../src/cache/available.ts';
import { prefixAt } from '../../src/fingerprint/fingerprint.ts';
import type { Hasher } from '../../src/fingerprint/hash.ts';
import { commonStart } from '../../src/prompt/common-start.ts';
import type { Segment } from '../../src/prompt/prompt.ts';
import type { CacheTokens, SentPrompt } from './replay.ts';

interface Passed {
  readonly usedAtMs: number | null;
  /** When its response began: before that nothing of it could be read. */
  readonly readableFromMs: number | null;
  /** What followed it last. */
  readonly next: Segment | undefined;
}

/** Prefixes that are remembered, over all conversations; the oldest go first. */
const MOST_PREFIXES = 200_000;

export function createImplicitCache(hasher: Hasher): (sent: SentPrompt) => CacheTokens {
  const passed = new Map<string, Passed>();
  return ({ call, prompt, fingerprint, facts, rules, scale }) => {
    const { segments } = prompt;
    const owner = `${facts.endpoint ?? ''} ${facts.account ?? ''}`;
    const keys = segments.map((_, index) => `${prefixAt(fingerprint, index, hasher)} ${owner}`);
    const isReadable = ({ usedAtMs, readableFromMs }: Passed): boolean => {
      const { atMs } = facts;
      if (atMs === null) return true;
      const isWritten = readableFromMs === null || readableFromMs <= atMs;
      return isWritten && (usedAtMs === null || atMs - usedAtMs <= rules.ttlMs);
    };
    const last = keys.findLastIndex((key) => {
      const before = passed.get(key);
      return before !== undefined && isReadable(before);
    });
    const before = passed.get(keys[last] ?? '');
    const common = scale.before(last + 1) + commonInto(before?.next, segments[last + 1], scale, last + 1);
    const read = floorTo(Math.min(common, scale.total), rules.granularityTokens);
    keys.forEach((key, index) => {
      const known = passed.get(key);
      passed.delete(key);
      passed.set(key, {
        usedAtMs: facts.atMs,
        readableFromMs: known && isReadable(known) ? known.readableFromMs : call.firstByteAtMs,
        next: segments[index + 1],
      });
    });
    while (passed.size > MOST_PREFIXES) passed.delete(passed.keys().next().value as string);
    return { read: read < rules.minimumTokens ? 0 : read, written: null, longTtlWritten: 0 };
  };
}

/** Tokens of the first segment that differs, up to the first changed character. */
function commonInto(
  old: Segment | undefined,
  now: Segment | undefined,
  scale: SentPrompt['scale'],
  index: number,
): number {
  if (!old || !now || old.role !== now.role) return 0;
  const [before, after] = [textOf(old), textOf(now)];
  if (after === '') return 0;
  return (scale.between(index, index + 1) * commonStart(before, after)) / after.length;
}

function textOf({ leaves }: Segment): string {
  return leaves.map(({ slot, text }) => `${slot}\u0001${text}`).join('\u0002');
}
