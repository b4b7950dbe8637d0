/** Where two strings part: in UTF-16 for slicing, in UTF-8 for people and for the contract. */
import { commonStart } from '../prompt/common-start.ts';
import type { UnknownText } from '../prompt/unknown-text.ts';

export interface TextSpan {
  /** Length of the common start, UTF-16. */
  readonly start: number;
  readonly before: string;
  readonly after: string;
  readonly oldText: string;
  readonly newText: string;
  /** Where `oldText` only stands in for what it was. */
  readonly unknown?: UnknownText | undefined;
}

export function spanBetween(oldText: string, newText: string): TextSpan {
  const shortest = Math.min(oldText.length, newText.length);
  let start = commonStart(oldText, newText);
  if (start > 0 && isHighSurrogate(oldText.charCodeAt(start - 1))) start -= 1;
  let end = 0;
  while (
    end < shortest - start &&
    oldText.charCodeAt(oldText.length - 1 - end) === newText.charCodeAt(newText.length - 1 - end)
  )
    end += 1;
  return {
    start,
    before: oldText.slice(start, oldText.length - end),
    after: newText.slice(start, newText.length - end),
    oldText,
    newText,
  };
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** First differing UTF-8 byte. Two characters may share their first bytes, so the last step compares bytes. */
export function firstDifferingByte(oldText: string, newText: string): number {
  const { start } = spanBetween(oldText, newText);
  const shared = Buffer.byteLength(oldText.slice(0, start));
  const [a, b] = [Buffer.from(characterAt(oldText, start)), Buffer.from(characterAt(newText, start))];
  let offset = 0;
  while (offset < a.length && offset < b.length && a[offset] === b[offset]) offset += 1;
  return shared + offset;
}

function characterAt(text: string, index: number): string {
  const code = text.codePointAt(index);
  return code === undefined ? '' : String.fromCodePoint(code);
}

/** A line may be a megabyte long; what stands further from the change than this says nothing about it. */
const FARTHEST_CHARACTERS = 1_000;

/** The lines that hold the change, on both sides, as far as they are near it. */
export function changedLines(span: TextSpan): { before: string; after: string } {
  const lineStart = span.oldText.lastIndexOf('\n', span.start - 1) + 1;
  const from = Math.max(lineStart, span.start - FARTHEST_CHARACTERS);
  return {
    before: span.oldText.slice(from, lineEnd(span.oldText, span.start + span.before.length)),
    after: span.newText.slice(from, lineEnd(span.newText, span.start + span.after.length)),
  };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return Math.min(end < 0 ? text.length : end, from + FARTHEST_CHARACTERS);
}
