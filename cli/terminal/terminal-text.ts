/**
 * Text from recorded traffic is data: it must not move the cursor, set a title or hide other text.
 * Everything that a report or the viewer prints passes through here once, at the door.
 */
import stringWidth from 'string-width';

/** OSC, DCS, SOS, PM, APC up to their end (or the end of the text), CSI, and two-byte escapes. */
const ESCAPE_SEQUENCES =
  /(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|$)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]/g;
const LINE_BREAKS = /\r\n|[\n\r\t\v\f\x85\u2028\u2029]/g;
/** What is left of C0 and C1, DEL, bidirectional overrides and isolates, zero-width and tag characters, lone surrogates. */
const INVISIBLE =
  /[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]|[\ud800-\udfff](?![\udc00-\udfff])/gu;

/** Any character that the three above could touch: almost no text has one, and one test is cheaper than three replacements. */
const SUSPECT = /[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/;

/** One line that is safe to print; line breaks become spaces. */
export function plainText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(ESCAPE_SEQUENCES, '').replace(LINE_BREAKS, ' ').replace(INVISIBLE, '');
}

/** The same for every string inside plain data. Keys are ours, values are not. What is clean already is not copied. */
export function plainData<T>(value: T): T {
  return clean(value) as T; // shape and types are kept: only strings are replaced, by strings
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value);
  if (typeof value !== 'object' || value === null) return value;
  let copy: Record<string, unknown> | undefined;
  // An array is an object with numbers for names; both are copied at the first part that changes.
  for (const name in value) {
    const part = (value as Record<string, unknown>)[name];
    const cleaned = clean(part);
    if (cleaned === part) continue;
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    copy[name] = cleaned;
  }
  return copy ?? value;
}

export { stringWidth as widthOf };

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** At most `width` cells; what does not fit ends in `…`. */
export function truncate(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  if (width <= 0) return '';
  let kept = '';
  let cells = 0;
  for (const { segment } of graphemes.segment(text)) {
    const next = stringWidth(segment);
    if (cells + next > width - 1) break;
    kept += segment;
    cells += next;
  }
  return `${kept}…`;
}

/** A path keeps its end, which tells more than its beginning. */
export function truncateStart(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  if (width <= 0) return '';
  const reversed = [...graphemes.segment(text)].map(({ segment }) => segment).reverse();
  let kept = '';
  let cells = 0;
  for (const segment of reversed) {
    const next = stringWidth(segment);
    if (cells + next > width - 1) break;
    kept = segment + kept;
    cells += next;
  }
  return `…${kept}`;
}

/** Exactly `width` cells. */
export function fitStart(text: string, width: number): string {
  const short = truncate(text, width);
  return short + ' '.repeat(Math.max(0, width - stringWidth(short)));
}

export function fitEnd(text: string, width: number): string {
  const short = truncate(text, width);
  return ' '.repeat(Math.max(0, width - stringWidth(short))) + short;
}

/** Lines of at most `width` cells, broken at spaces where there are any. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter((part) => part !== '')) {
    const candidate = line === '' ? word : `${line} ${word}`;
    if (stringWidth(candidate) <= width) {
      line = candidate;
      continue;
    }
    if (line !== '') lines.push(line);
    line = truncate(word, width);
  }
  if (line !== '') lines.push(line);
  return lines;
}
