/**
 * The cache of OpenAI up to GPT-5.5: every prompt is kept, and a read gets the longest prefix that it shares with any
 * of them, in whole steps. It writes for free and reports no writes.
 */
import type { CacheDecision } from './boundary-cache.ts';
import { type Segment, tokensOfBytes } from './segments.ts';

interface KeptPrompt {
  readonly bytes: Buffer;
  readonly writtenAtMs: number;
  usedAtMs: number;
  readonly idleMs: number;
  readonly maxAgeMs: number;
}

export interface SharedPrefixQuestion {
  readonly partition: string;
  readonly segments: readonly Segment[];
  readonly stepTokens: number;
  readonly minimumTokens: number;
  readonly idleMs: number;
  readonly maxAgeMs: number;
  readonly nowMs: number;
}

export class SharedPrefixCache {
  readonly #prompts = new Map<string, KeptPrompt[]>();

  decide(question: SharedPrefixQuestion): CacheDecision {
    const { partition, segments, stepTokens, minimumTokens, nowMs } = question;
    // The separator keeps borders: "ab" + "c" shares only "a" with "a" + "bc". It is not counted as content.
    const contentBytes = segments.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    const bytes = Buffer.from(segments.map(({ text }) => text).join(SEPARATOR));

    let readTokens = 0;
    let used: KeptPrompt | undefined;
    for (const kept of this.#livePrompts(partition, nowMs)) {
      const shared = sharedLength(kept.bytes, bytes);
      const separators = countSeparators(bytes, shared);
      const steps = Math.floor((shared - separators) / 4 / stepTokens);
      if (steps * stepTokens < minimumTokens || steps * stepTokens <= readTokens) continue;
      readTokens = steps * stepTokens;
      used = kept;
    }
    if (used !== undefined) used.usedAtMs = Math.max(used.usedAtMs, nowMs);

    return {
      figures: {
        inputTokens: tokensOfBytes(contentBytes),
        readTokens,
        writtenTokens: 0,
        writtenTokensByTtlMs: {},
      },
      commit: () => {
        const { idleMs, maxAgeMs } = question;
        // A prompt that the new one begins with has nothing left to give.
        const others = this.#livePrompts(partition, nowMs).filter(
          (kept) => sharedLength(kept.bytes, bytes) < kept.bytes.length,
        );
        this.#prompts.set(partition, [
          ...others,
          { bytes, writtenAtMs: nowMs, usedAtMs: nowMs, idleMs, maxAgeMs },
        ]);
      },
    };
  }

  clear(): void {
    this.#prompts.clear();
  }

  #livePrompts(partition: string, nowMs: number): KeptPrompt[] {
    const kept = this.#prompts.get(partition) ?? [];
    return kept.filter(
      (prompt) => nowMs < prompt.usedAtMs + prompt.idleMs && nowMs < prompt.writtenAtMs + prompt.maxAgeMs,
    );
  }
}

const SEPARATOR = '\u001e';
const SEPARATOR_BYTE = 0x1e;

function sharedLength(a: Buffer, b: Buffer): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) if (a[index] !== b[index]) return index;
  return length;
}

function countSeparators(bytes: Buffer, end: number): number {
  let count = 0;
  for (let index = 0; index < end; index++) if (bytes[index] === SEPARATOR_BYTE) count++;
  return count;
}
