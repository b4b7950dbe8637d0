/** Writes and reads plain values as bytes: what is kept of a head outside the process has to be small. */

export class ByteWriter {
  #bytes = new Uint8Array(1_024);
  #length = 0;

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** Small numbers take one byte. Whole and not negative. */
  count(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.byte(rest);
  }

  bits16(value: number): void {
    this.byte(value >> 8);
    this.byte(value & 0xff);
  }

  bits32(value: number): void {
    this.#reserve(4);
    viewOf(this.#bytes).setUint32(this.#length, value);
    this.#length += 4;
  }

  hash(value: bigint): void {
    this.#reserve(8);
    viewOf(this.#bytes).setBigUint64(this.#length, value);
    this.#length += 8;
  }

  text(value: string): void {
    const bytes = ENCODER.encode(value);
    this.count(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** `null` and the empty text are two things. */
  textOrNull(value: string | null | undefined): void {
    this.byte(value === null || value === undefined ? 0 : 1);
    if (value !== null && value !== undefined) this.text(value);
  }

  list<Item>(items: readonly Item[], write: (item: Item) => void): void {
    this.count(items.length);
    items.forEach(write);
  }

  done(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(size: number): void {
    if (this.#length + size <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + size));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** Throws a `RangeError` where the bytes end early: its caller takes them for foreign ones. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }

  byte(): number {
    return this.#view.getUint8(this.#take(1));
  }

  count(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
      if (factor > Number.MAX_SAFE_INTEGER) throw new RangeError('not a count');
    }
  }

  bits16(): number {
    return this.#view.getUint16(this.#take(2));
  }

  bits32(): number {
    return this.#view.getUint32(this.#take(4));
  }

  hash(): bigint {
    return this.#view.getBigUint64(this.#take(8));
  }

  text(): string {
    const size = this.count();
    const at = this.#take(size);
    return size === 0 ? '' : DECODER.decode(this.#bytes.subarray(at, at + size));
  }

  textOrNull(): string | null {
    return this.byte() === 0 ? null : this.text();
  }

  list<Item>(read: () => Item): Item[] {
    const size = this.count();
    // An item takes a byte at least: a count that claims more than there is would ask for endless memory.
    if (size > this.#bytes.length - this.#at) throw new RangeError('not a list');
    const items: Item[] = [];
    for (let index = 0; index < size; index += 1) items.push(read());
    return items;
  }

  #take(size: number): number {
    const at = this.#at;
    if (at + size > this.#bytes.length) throw new RangeError('the bytes end early');
    this.#at = at + size;
    return at;
  }
}

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
