/**
 * Prompts that passed an implicit cache: each leaves its whole prefix behind. A baseline shows only what the last call left;
 * a head that changes and changes back finds what the call before that one left.
 */
import { prefixAt } from '../fingerprint/fingerprint.ts';
import type { Hasher } from '../fingerprint/hash.ts';
import type { TokenUsage } from '../prompt/usage.ts';
import type { Entries } from './entries.ts';
import type { Simulated } from './simulate.ts';

/** Tokens of the longest earlier prompt that this one begins with and that is still alive; 0 where none is known. */
export function passedTokens(call: Simulated, entries: Entries, hasher: Hasher): number {
  const { fingerprint, atMs } = call;
  for (let segment = fingerprint.chain.length - 1; segment >= 0; segment -= 1) {
    const entry = entries.get(prefixAt(fingerprint, segment, hasher));
    if (!entry || entry.account !== call.account || entry.endpoint !== call.endpoint) continue;
    const isAlive = atMs === null || entry.usedAtMs === null || atMs - entry.usedAtMs <= entry.ttlMs;
    if (isAlive) return entry.tokens;
  }
  return 0;
}

export function recordPassed(
  call: Simulated & { readonly usage: TokenUsage | null; readonly index: number },
  entries: Entries,
  hasher: Hasher,
): void {
  const { fingerprint, rules, usage, atMs, account, endpoint, index } = call;
  if (usage === null || usage.input < rules.minimumTokens || fingerprint.chain.length === 0) return;
  entries.write(prefixAt(fingerprint, fingerprint.chain.length - 1, hasher), {
    tokens: usage.input,
    isMeasured: true,
    usedAtMs: atMs,
    ttlMs: rules.ttlMs,
    readableFromMs: null,
    account,
    endpoint,
    index,
    hasImages: false,
  });
}
