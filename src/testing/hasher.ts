/** Hashes without waiting: the engine's hasher has to be loaded first, and a matcher that one must await is soon forgotten. */
import { createHash } from 'node:crypto';
import type { Hasher } from '../fingerprint/hash.ts';

export const hasher: Hasher = {
  text: hashOf,
  chain: (previous, next) => hashOf(`${previous} ${next}`),
};

function hashOf(text: string): bigint {
  return createHash('sha256').update(text).digest().readBigUInt64LE();
}
