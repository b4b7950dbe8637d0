/**
 * What lies in the server is packed and sealed (AES-256-GCM), and names are keyed hashes: without the secret it tells how
 * many conversations there are and how long, and nothing of them. A hash of a prompt can else be tested by guessing.
 *
 * Bytes that were sealed with another secret, or by nobody, do not open.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { NAME_BYTES } from './scripts.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Nobody's head is larger; a bomb would be. */
const MOST_BYTES = 256 * 1024 * 1024;

export interface Seal {
  /** Equal for equal texts. */
  name(text: string): Buffer;
  seal(bytes: Uint8Array): Buffer;
  open(sealed: Buffer): Uint8Array | undefined;
}

export function createSeal(secret: string | Uint8Array): Seal {
  const key = derivedKey(secret, 'seal');
  const nameKey = derivedKey(secret, 'names');
  return {
    name: (text) => createHmac('sha256', nameKey).update(text).digest().subarray(0, NAME_BYTES),
    seal(bytes) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const packed = deflateRawSync(bytes, { level: 4 });
      return Buffer.concat([nonce, cipher.update(packed), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed) {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES));
        decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
        const packed = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
        return inflateRawSync(Buffer.concat([packed, decipher.final()]), { maxOutputLength: MOST_BYTES });
      } catch {
        return undefined;
      }
    },
  };
}

/** One secret, a key for each use. */
export function derivedKey(secret: string | Uint8Array, use: string): Buffer {
  return createHmac('sha256', secret).update(`prefixtrace ${use}`).digest();
}
