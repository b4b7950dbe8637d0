/**
 * The beginning of a byte stream, held so that it can be looked at and then read again from the start. How a log is read
 * depends on what it holds, and a stream can be read only once.
 */
export class HeldChunks {
  readonly #rest: AsyncIterator<Uint8Array | string>;
  readonly #held: Buffer[] = [];
  #heldBytes = 0;
  #isDone = false;

  constructor(chunks: AsyncIterable<Uint8Array | string>) {
    this.#rest = chunks[Symbol.asyncIterator]();
  }

  /** Reads on until a whole line with something on it is held, or `maxBytes`. The text of all that is held. */
  async holdLine(maxBytes: number): Promise<string> {
    while (!this.#isDone && this.#heldBytes < maxBytes) {
      // A line feed in the newest chunk is what can make a line whole; blank lines in front of it do not count.
      if (this.#held.at(-1)?.includes(0x0a) && /\S[^\n]*\n/.test(this.#text())) break;
      await this.#pull();
    }
    return this.#text();
  }

  /** Reads to the end. `undefined`: there is more than `maxBytes`. */
  async holdAll(maxBytes: number): Promise<string | undefined> {
    while (!this.#isDone) {
      if (this.#heldBytes > maxBytes) return undefined;
      await this.#pull();
    }
    return this.#text();
  }

  async holdBytes(count: number): Promise<Buffer> {
    while (!this.#isDone && this.#heldBytes < count) await this.#pull();
    return Buffer.concat(this.#held).subarray(0, count);
  }

  /** The text of what is held after at least one chunk was read; empty where there is none. */
  async beginning(): Promise<string> {
    await this.holdBytes(1);
    return this.#text();
  }

  /** Everything from the start; what was held is let go of as it passes. Call once. */
  async *replay(): AsyncGenerator<Uint8Array | string> {
    try {
      for (let chunk = this.#held.shift(); chunk !== undefined; chunk = this.#held.shift()) yield chunk;
      if (this.#isDone) return;
      for (let next = await this.#rest.next(); !next.done; next = await this.#rest.next()) yield next.value;
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    await this.#rest.return?.();
  }

  async #pull(): Promise<void> {
    const next = await this.#rest.next();
    if (next.done) {
      this.#isDone = true;
      return;
    }
    const chunk = typeof next.value === 'string' ? Buffer.from(next.value) : Buffer.from(next.value);
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
  }

  /** One buffer from many, so that looking twice does not copy twice. */
  #text(): string {
    if (this.#held.length > 1) this.#held.splice(0, this.#held.length, Buffer.concat(this.#held));
    return (this.#held[0]?.toString('utf8') ?? '').replace(/^\ufeff/, '');
  }
}
