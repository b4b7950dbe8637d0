/**
 * Lines of a byte stream in bounded memory. Splits at LF bytes alone: U+2028, which `readline` splits at too, is
 * ordinary text inside a JSON string, and a multi-byte character may lie across two chunks.
 */
import { isAscii } from 'node:buffer';

export interface Line {
  /** From 1. */
  readonly number: number;
  /** Without line end. `null`: longer than the limit, dropped. */
  readonly text: string | null;
  /** The stream ended before the line did: it may be torn. */
  readonly isUnended: boolean;
}

/** A request with a few images is 20 MB; far past that it is another kind of file. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;

export async function* readLines(
  chunks: AsyncIterable<Uint8Array | string>,
  maxLineBytes: number = MAX_LINE_BYTES,
): AsyncGenerator<Line> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let isTooLong = false;
  let number = 0;

  const hold = (bytes: Uint8Array) => {
    if (bytes.length === 0) return;
    pendingBytes += bytes.length;
    if (pendingBytes > maxLineBytes) {
      isTooLong = true;
      pending = [];
    }
    if (!isTooLong) pending.push(bytes);
  };
  const take = (isUnended: boolean): Line => {
    number += 1;
    const text = isTooLong ? null : textOf(pending);
    pending = [];
    pendingBytes = 0;
    isTooLong = false;
    // A byte order mark is no part of the first line.
    return { number, text: number === 1 && text?.startsWith('\ufeff') ? text.slice(1) : text, isUnended };
  };

  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(LF, start); end >= 0; end = bytes.indexOf(LF, start)) {
      hold(bytes.subarray(start, end));
      yield take(false);
      start = end + 1;
    }
    hold(bytes.subarray(start));
  }
  if (pendingBytes > 0) yield take(true);
}

function textOf(pieces: readonly Uint8Array[]): string {
  const [first] = pieces;
  const whole = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
  const bytes = whole[whole.length - 1] === CR ? whole.subarray(0, -1) : whole;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // Most lines are ASCII, which is copied several times as fast where no character can be wider than its byte.
  return isAscii(buffer) ? buffer.toString('latin1') : buffer.toString('utf8');
}
