/** A cache that writes at marks and reads backwards from them, by the engine's own rules and without any usage. */
import { writtenMarks } from '../../src/cache/boundaries.ts';
import { Entries } from '../../src/cache/entries.ts';
import { recordEntries } from '../../src/cache/record.ts';
import { simulate } from '../../src/cache/simulate.ts';
import type { Hasher } from '../../src/fingerprint/hash.ts';
import type { CacheTokens, SentPrompt } from './replay.ts';

const HOUR_MS = 3_600_000;

export function createExplicitCache(hasher: Hasher): (sent: SentPrompt) => CacheTokens {
  const entries = new Entries();
  return ({ call, index, prompt, fingerprint, facts, rules, scale }) => {
    const simulated = { ...facts, prompt, fingerprint, rules };
    const simulation = simulate(simulated, entries, hasher);
    const marks = writtenMarks(prompt, rules).map(({ segment, ttlMs }) => ({
      end: scale.before(segment + 1),
      isLong: (ttlMs ?? rules.ttlMs) >= longTtlMs(rules.provider),
    }));
    const held = marks.filter(({ end }) => end >= rules.minimumTokens);
    const read = Math.min(simulation.expectedRead, scale.total);
    const endOf = (some: typeof held) => Math.max(read, ...some.map(({ end }) => end));
    recordEntries(
      {
        ...simulated,
        usage: null,
        simulation,
        scale,
        head: { index, outcome: { firstByteAtMs: call.firstByteAtMs } },
      },
      entries,
      hasher,
    );
    return {
      read,
      written: endOf(held) - read,
      // Up to the last long mark at the long price, what follows at the short one (Anthropic, "Mixing different TTLs").
      longTtlWritten: endOf(held.filter(({ isLong }) => isLong)) - read,
    };
  };
}

/** From when on a write costs the higher price. */
function longTtlMs(provider: string): number {
  return provider === 'openai' ? 12 * HOUR_MS : HOUR_MS;
}
