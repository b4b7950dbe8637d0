/** What a finished call left in an explicit cache: entries written at its marks, and the one that it read refreshed. */
import { prefixAt } from '../fingerprint/fingerprint.ts';
import type { Hasher } from '../fingerprint/hash.ts';
import type { Head } from '../lineage/head.ts';
import type { TokenUsage } from '../prompt/usage.ts';
import type { TokenScale } from '../tokens/estimate.ts';
import type { Entries, Entry } from './entries.ts';
import { inRenderOrder } from './marks.ts';
import type { Simulated, Simulation } from './simulate.ts';

export interface Recorded extends Simulated {
  readonly usage: TokenUsage | null;
  readonly simulation: Simulation | null;
  readonly head: Head;
  readonly scale: TokenScale;
}

export function recordEntries(call: Recorded, entries: Entries, hasher: Hasher): void {
  const { usage, simulation, head, prompt, fingerprint, rules, atMs, scale } = call;
  const read = usage?.cacheRead ?? 0;
  const cached = read + (usage?.cacheWrite ?? 0);
  if (usage && cached === 0) return;
  if (simulation?.reached && (usage === null || read > 0)) {
    simulation.reached.usedAtMs = atMs;
    // The read tells how long this prefix really is, unless a longer, unseen one was read.
    if (usage && !simulation.reached.isMeasured && isNear(read, simulation.reached.tokens))
      measure(simulation.reached, read);
  }
  const marks = inRenderOrder(prompt.breakpoints);
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
    };
    entries.write(prefix, entry);
  });
}

function isAlive(entry: Entry, atMs: number | null): boolean {
  return atMs === null || entry.usedAtMs === null || atMs - entry.usedAtMs <= entry.ttlMs;
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= Math.max(a, b) * 0.25;
}

function measure(entry: Entry, tokens: number): void {
  entry.tokens = tokens;
  entry.isMeasured = true;
}
