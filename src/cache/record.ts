/** What a finished call left in an explicit cache: entries written at its marks, and the one that it read refreshed. */
import { prefixAt } from '../fingerprint/fingerprint.ts';
import type { Hasher } from '../fingerprint/hash.ts';
import type { Head, HeadOutcome } from '../lineage/head.ts';
import type { TokenUsage } from '../prompt/usage.ts';
import type { TokenScale } from '../tokens/estimate.ts';
import { writtenMarks } from './boundaries.ts';
import type { Entries, Entry } from './entries.ts';
import { hasTellingImages } from './images.ts';
import type { CacheRules } from './rules.ts';
import type { Simulated, Simulation } from './simulate.ts';

export interface Recorded extends Simulated {
  readonly usage: TokenUsage | null;
  readonly simulation: Simulation | null;
  readonly head: Pick<Head, 'index'> & { readonly outcome: Pick<HeadOutcome, 'firstByteAtMs'> };
  readonly scale: TokenScale;
}

export function recordEntries(call: Recorded, entries: Entries, hasher: Hasher): void {
  const { usage, simulation, head, prompt, fingerprint, rules, atMs, scale } = call;
  const read = usage?.cacheRead ?? 0;
  const cached = cachedTokens(usage, rules);
  if (usage && cached === 0) return;
  if (simulation?.reached && (usage === null || read > 0)) {
    simulation.reached.usedAtMs = atMs;
    // The read tells how long this prefix really is, unless a longer, unseen one was read.
    if (usage && !simulation.reached.isMeasured && read <= simulation.reached.tokens * 1.25)
      measure(simulation.reached, read);
  }
  const hasImages = hasTellingImages(prompt, rules);
  const marks = writtenMarks(prompt, rules);
  marks.forEach((mark, order) => {
    const isLast = order === marks.length - 1;
    const prefix = prefixAt(fingerprint, mark.segment, hasher);
    const known = entries.get(prefix);
    const estimated = Math.min(scale.before(mark.segment + 1), usage ? cached : Number.POSITIVE_INFINITY);
    const isMeasured = isLast && usage !== null;
    const tokens = isMeasured ? cached : known?.isMeasured ? known.tokens : estimated;
    if (tokens < rules.minimumTokens && !isMeasured) return;
    const entry: Entry = {
      tokens,
      isMeasured: isMeasured || (known?.isMeasured ?? false),
      usedAtMs: atMs,
      ttlMs: mark.ttlMs ?? rules.ttlMs,
      readableFromMs:
        known && isAlive(known, atMs) ? known.readableFromMs : (head.outcome.firstByteAtMs ?? null),
      account: call.account,
      endpoint: call.endpoint,
      index: head.index,
      hasImages,
    };
    entries.write(prefix, entry);
  });
}

/** Up to the last mark. A provider that sets it at the very end may leave the count of written tokens out. */
function cachedTokens(usage: TokenUsage | null, { setsMarks }: CacheRules): number {
  if (usage === null) return 0;
  return setsMarks && usage.cacheWrite === null
    ? usage.input
    : (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

function isAlive(entry: Entry, atMs: number | null): boolean {
  return atMs === null || entry.usedAtMs === null || atMs - entry.usedAtMs <= entry.ttlMs;
}

function measure(entry: Entry, tokens: number): void {
  entry.tokens = tokens;
  entry.isMeasured = true;
}
