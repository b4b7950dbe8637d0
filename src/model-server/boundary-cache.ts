/**
 * The cache of Anthropic, and of OpenAI from GPT-5.6 on: an entry is written where a breakpoint stands and holds the
 * whole prefix up to there; a read finds an entry only at exactly the same boundary.
 *
 * An entry lives for its TTL from the start of the request that wrote or last read it, and can be read only once the
 * answer to the request that wrote it has begun: `commit()` is that moment.
 */
import { prefixesOf, type Segment } from './segments.ts';
import type { CacheFigures } from './types.ts';

interface Entry {
  readonly ttlMs: number;
  usedAtMs: number;
}

export interface BoundaryQuestion {
  /** Entries are visible inside a partition only: credential, model and the like. */
  readonly partition: string;
  readonly segments: readonly Segment[];
  /** Boundaries that reads look at, one list per breakpoint. A boundary is the number of segments before it. */
  readonly lookups: readonly (readonly number[])[];
  readonly writes: readonly { readonly boundary: number; readonly ttlMs: number }[];
  readonly minimumTokens: number;
  readonly nowMs: number;
}

export interface CacheDecision {
  readonly figures: CacheFigures;
  /** Makes what the request wrote readable. Not called for a request that never got an answer. */
  commit(): void;
}

export class BoundaryCache {
  readonly #entries = new Map<string, Entry>();

  decide(question: BoundaryQuestion): CacheDecision {
    const { partition, segments, minimumTokens, nowMs } = question;
    const { tokens, hashes } = prefixesOf(segments);
    const keyAt = (boundary: number) => `${partition}|${hashes[boundary]}`;
    const tokensAt = (boundary: number) => tokens[boundary] ?? 0;

    let hit = 0;
    for (const boundaries of question.lookups) {
      // Each breakpoint uses the longest entry that it finds, and use refreshes that one. Whether the shorter ones
      // inside it are refreshed too is not documented.
      const found = [...boundaries]
        .sort((a, b) => b - a)
        .find((boundary) => this.#isLive(keyAt(boundary), nowMs));
      if (found === undefined) continue;
      this.#refresh(keyAt(found), nowMs);
      hit = Math.max(hit, found);
    }

    const writes = question.writes
      .filter(({ boundary }) => tokensAt(boundary) >= minimumTokens && !this.#isLive(keyAt(boundary), nowMs))
      .sort((a, b) => a.boundary - b.boundary);
    // Writing below the hit costs nothing: those tokens were read. Above it, tokens are billed with the breakpoint that
    // ends them (Anthropic: "mixed TTL billing").
    const writtenTokensByTtlMs: Record<number, number> = {};
    let billedTo = hit;
    for (const { boundary, ttlMs } of writes) {
      if (boundary <= billedTo) continue;
      const billed = tokensAt(boundary) - tokensAt(billedTo);
      writtenTokensByTtlMs[ttlMs] = (writtenTokensByTtlMs[ttlMs] ?? 0) + billed;
      billedTo = boundary;
    }

    return {
      figures: {
        inputTokens: tokensAt(segments.length),
        readTokens: tokensAt(hit),
        writtenTokens: tokensAt(billedTo) - tokensAt(hit),
        writtenTokensByTtlMs,
      },
      commit: () => {
        for (const { boundary, ttlMs } of writes) {
          this.#write(keyAt(boundary), { ttlMs, usedAtMs: nowMs });
        }
      },
    };
  }

  clear(): void {
    this.#entries.clear();
  }

  #isLive(key: string, nowMs: number): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && nowMs < entry.usedAtMs + entry.ttlMs;
  }

  #refresh(key: string, nowMs: number): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.usedAtMs = Math.max(entry.usedAtMs, nowMs);
  }

  #write(key: string, entry: Entry): void {
    for (const [other, { usedAtMs, ttlMs }] of this.#entries) {
      if (usedAtMs + ttlMs <= entry.usedAtMs) this.#entries.delete(other);
    }
    const present = this.#entries.get(key);
    // Of two requests in flight together the later start counts.
    if (present === undefined || present.usedAtMs <= entry.usedAtMs) this.#entries.set(key, entry);
  }
}
