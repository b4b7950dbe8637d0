/**
 * Bytes in pieces of any size → whole lines, with bounded memory.
 *
 * Split on the byte 0x0A before decoding, so that a character cut in two by a piece's end is put together again. A line
 * longer than `maxLineBytes` is not kept: it comes out as `undefined`, to be counted as unreadable.
 */
const NEWLINE = 0x0a;
const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;

export class LineSplitter {
  readonly #maxLineBytes: number;
  #pieces: Buffer[] = [];
  #heldBytes = 0;
  #isTooLong = false;

  constructor(maxLineBytes = DEFAULT_MAX_LINE_BYTES) {
    this.#maxLineBytes = maxLineBytes;
  }

  *push(bytes: Buffer): Generator<string | undefined> {
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#hold(bytes.subarray(start, end));
      yield this.#take();
      start = end + 1;
    }
    this.#hold(bytes.subarray(start));
  }

  /** What came after the last newline; empty where the file ends with one. */
  rest(): string | undefined {
    return this.#take();
  }

  #hold(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#heldBytes += piece.length;
    if (this.#heldBytes > this.#maxLineBytes) {
      this.#isTooLong = true;
      this.#pieces = [];
    }
    if (!this.#isTooLong) this.#pieces.push(piece);
  }

  #take(): string | undefined {
    const line = this.#isTooLong ? undefined : Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    this.#heldBytes = 0;
    this.#isTooLong = false;
    return line;
  }
}
