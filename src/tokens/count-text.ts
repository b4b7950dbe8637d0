/**
 * Counts the tokens of any text in bounded time: text is cut before the pattern sees more than a block of it, a run
 * without a boundary is cut before it is merged, and of huge texts a sample is counted. Special tokens are text like any other.
 *
 * Error: a cut run counts at most one token more a cut; ordinary text holds no run of that length.
 */
import { type Encoder, LONGEST_PIECE } from './encoder.ts';

/** Bounds the stack that the pattern needs. A cut between blocks is wrong by two tokens at most. */
const BLOCK_LENGTH = 65_536;

export function countText(text: string, encoder: Encoder): number {
  let tokens = 0;
  for (const block of cut(text, BLOCK_LENGTH)) {
    for (const [piece] of block.matchAll(encoder.pattern)) {
      if (piece.length <= LONGEST_PIECE) tokens += encoder.tokensOf(piece);
      else for (const part of cut(piece, LONGEST_PIECE)) tokens += encoder.tokensOf(part);
    }
  }
  return tokens;
}

/** Parts of at most `length` UTF-16 units; a pair of surrogates stays together. */
function* cut(text: string, length: number): Generator<string> {
  let from = 0;
  while (from < text.length) {
    let to = from + length;
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to -= 1;
    yield text.slice(from, to);
    from = to;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Longer texts are sampled: about 60,000 tokens, more than a segment holds that somebody wrote. */
const LONGEST_WHOLE = 262_144;
const WINDOWS = 64;
const WINDOW_LENGTH = 2_048;

export interface TextSample {
  readonly text: string;
  /** Size of the whole over the sample's. */
  readonly factor: number;
}

/** The text itself, or windows spread evenly over it. */
export function sampleOf(text: string): TextSample {
  if (text.length <= LONGEST_WHOLE) return { text, factor: 1 };
  const step = (text.length - WINDOW_LENGTH) / (WINDOWS - 1);
  let sample = '';
  for (let window = 0; window < WINDOWS; window += 1) {
    const start = Math.round(window * step);
    sample += text.slice(start, start + WINDOW_LENGTH);
  }
  return { text: sample, factor: text.length / sample.length };
}
