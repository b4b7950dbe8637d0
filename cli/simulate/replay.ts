/**
 * Prompts sent, in order, to a provider that keeps to its documented rules: what each would read and write. Nothing of
 * the recorded reads goes in, save what was cached before the recording began; token totals are the recorded ones.
 */
import type { CacheRules } from '../../src/cache/rules.ts';
import type { Fingerprint } from '../../src/fingerprint/fingerprint.ts';
import type { Hasher } from '../../src/fingerprint/hash.ts';
import type { HeadFacts } from '../../src/lineage/head.ts';
import type { Prompt } from '../../src/prompt/prompt.ts';
import type { TokenUsage } from '../../src/prompt/usage.ts';
import type { TokenScale } from '../../src/tokens/estimate.ts';
import { createExplicitCache } from './explicit-cache.ts';
import { createImplicitCache } from './implicit-cache.ts';
import type { RecordedCall } from './recorded-call.ts';

export interface SentPrompt {
  readonly call: RecordedCall;
  readonly index: number;
  readonly prompt: Prompt;
  readonly fingerprint: Fingerprint;
  readonly facts: HeadFacts;
  readonly rules: CacheRules;
  readonly scale: TokenScale;
}

export interface CacheTokens {
  readonly read: number;
  /** `null`: the provider bills no writes. */
  readonly written: number | null;
  readonly longTtlWritten: number;
}

export type Replay = (sent: SentPrompt) => TokenUsage;

export function createReplay(hasher: Hasher): Replay {
  const explicit = createExplicitCache(hasher);
  const implicit = createImplicitCache(hasher);
  return (sent) => {
    const { call, rules, scale } = sent;
    const { read, written, longTtlWritten } = (rules.style === 'explicit' ? explicit : implicit)(sent);
    const input = scale.total;
    const whole = Math.min(input, Math.max(read, readUnseen(call)));
    // What is read need not be written.
    const cacheWrite = written === null ? null : Math.max(0, Math.min(written, read + written - whole));
    return {
      input,
      cacheRead: whole,
      cacheWrite,
      uncached: Math.max(0, input - whole - (cacheWrite ?? 0)),
      output: call.usage?.output ?? null,
      longTtlWrite: Math.min(longTtlWritten, cacheWrite ?? 0),
    };
  };
}

/** Read from what nobody recorded: it would have been there under any layout. */
export function readUnseen({ isFirstSight, usage }: RecordedCall): number {
  return isFirstSight ? (usage?.cacheRead ?? 0) : 0;
}
