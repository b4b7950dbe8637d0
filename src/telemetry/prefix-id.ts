/**
 * The prefix id: tells equal prefixes from different ones, and nothing else.
 *
 * Hashes of prompts can be searched by guessing (a known system prompt, a short answer). Keyed with a secret that never
 * leaves the process they cannot, at the price that ids of two processes only compare where both were given one key.
 */
import { nodeCrypto } from '../node-crypto.ts';

const ID_LENGTH_HEX = 32; // 128 bits: no collision to fear, half the bytes of the full digest

export type PrefixId = (prefixHash: string) => string;

export function createPrefixId(key?: string | Uint8Array): PrefixId {
  let secret = key;
  return (prefixHash) => {
    const { createHmac, randomBytes } = nodeCrypto();
    secret ??= randomBytes(32);
    return createHmac('sha256', secret).update(prefixHash).digest('hex').slice(0, ID_LENGTH_HEX);
  };
}
