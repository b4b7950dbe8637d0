/** xxHash64 (xxhash-wasm), loaded once. Not keyed and not for secrets: hashes that leave the process are keyed first. */
import xxhash from 'xxhash-wasm';

export interface Hasher {
  /** Hash of a string's UTF-8 bytes. */
  text(text: string): bigint;
  /** Hash of a hash chain's next link. */
  chain(previous: bigint, next: bigint): bigint;
}

let loading: Promise<Hasher> | undefined;

export function loadHasher(): Promise<Hasher> {
  loading ??= xxhash().then(({ h64, h64Raw }) => {
    const link = new BigUint64Array(2);
    const bytes = new Uint8Array(link.buffer);
    return {
      text: (text) => h64(text),
      chain(previous, next) {
        link[0] = previous;
        link[1] = next;
        return h64Raw(bytes);
      },
    };
  });
  return loading;
}
