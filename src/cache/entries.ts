/**
 * Entries: what an explicit cache is believed to hold, from the calls that were seen. An entry is a prefix that ended at a
 * cache mark. Owner of the map: this class; least recently used entries go first.
 */

export interface Entry {
  /** Tokens of the prefix, from usage where that says it, else calibrated. */
  tokens: number;
  isMeasured: boolean;
  /** Start of the request that wrote it or read it last: lifetime counts from there. */
  usedAtMs: number | null;
  readonly ttlMs: number;
  /** When the writing response began; `null`: not known. */
  readonly readableFromMs: number | null;
  readonly account: string | null;
  readonly endpoint: string | null;
  /** Whether the prompt that wrote it held an image anywhere. */
  readonly hasImages: boolean;
  /** The call that wrote it. */
  readonly index: number;
}

const MOST_ENTRIES = 40_000;

export class Entries {
  readonly #byPrefix = new Map<bigint, Entry>();

  get(prefix: bigint): Entry | undefined {
    return this.#byPrefix.get(prefix);
  }

  /** What another process knows of an entry, where it knows more. */
  merge(prefix: bigint, entry: Entry): void {
    const known = this.#byPrefix.get(prefix);
    if (!known || (entry.usedAtMs ?? 0) > (known.usedAtMs ?? 0)) this.write(prefix, entry);
  }

  write(prefix: bigint, entry: Entry): void {
    this.#byPrefix.delete(prefix);
    this.#byPrefix.set(prefix, entry);
    if (this.#byPrefix.size > MOST_ENTRIES)
      this.#byPrefix.delete(this.#byPrefix.keys().next().value as bigint);
  }
}
