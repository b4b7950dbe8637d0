/**
 * Walks JSON text without building values, at the speed of `indexOf`. Offsets are UTF-16 indices. A text that is no JSON
 * gives offsets of no meaning but never an error: whoever uses them parses what lies between.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export interface MemberSpan {
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** The members of the object that the text is; ends early where the text breaks off. */
export function* topLevelMemberSpans(text: string): Generator<MemberSpan> {
  let at = skipSpace(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  if (text.charCodeAt(at) !== OPEN_BRACE) return;
  at = skipSpace(text, at + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = stringEnd(text, at);
    const colonAt = skipSpace(text, nameEnd);
    if (text.charCodeAt(colonAt) !== COLON) return;
    const valueStart = skipSpace(text, colonAt + 1);
    const end = valueEnd(text, valueStart);
    // A value that reaches the end of the text was cut off: nothing closed the object behind it.
    if (end >= text.length) return;
    yield { nameStart: at, nameEnd, valueStart, valueEnd: end };
    at = skipSpace(text, end);
    if (text.charCodeAt(at) !== COMMA) return;
    at = skipSpace(text, at + 1);
  }
}

export interface ListSpan {
  /** Index behind the opening bracket. */
  readonly start: number;
  /** Index of the closing bracket. */
  readonly end: number;
  /** Index behind each element. */
  readonly elementEnds: readonly number[];
}

/** The list that the top-level member `name` holds; `undefined` where there is none, or more than one of that name. */
export function listSpan(text: string, name: string): ListSpan | undefined {
  let found: MemberSpan | undefined;
  const quoted = JSON.stringify(name);
  for (const span of topLevelMemberSpans(text)) {
    if (text.slice(span.nameStart, span.nameEnd) !== quoted) continue;
    if (found) return undefined;
    found = span;
  }
  if (!found || text.charCodeAt(found.valueStart) !== OPEN_BRACKET) return undefined;
  const start = found.valueStart + 1;
  const end = found.valueEnd - 1;
  return { start, end, elementEnds: elementEnds(text, start, end) };
}

/** Index behind each element of a list whose content lies between `start` and `end`. */
export function elementEnds(text: string, start: number, end: number): number[] {
  const ends: number[] = [];
  let at = skipSpace(text, start);
  while (at < end) {
    const elementEnd = valueEnd(text, at);
    if (elementEnd <= at) break;
    ends.push(elementEnd);
    at = skipSpace(text, elementEnd);
    if (text.charCodeAt(at) !== COMMA) break;
    at = skipSpace(text, at + 1);
  }
  return ends;
}

/** The index behind the value that starts at `start`; the length of the text where it breaks off. */
function valueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return stringEnd(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at) - 1;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (code === COMMA || code <= 0x20)) {
      return at;
    }
  }
  return text.length;
}

/** The index behind the closing quote of the string that opens at `start`. */
function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}
