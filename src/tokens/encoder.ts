/**
 * Byte-pair counting over the vocabularies and patterns of js-tiktoken.
 *
 * js-tiktoken's own `encode` is not used: it needs three times the time to load and twice the memory, since it can also
 * decode, and its merge makes a string of each pair in each round: one run of 20,000 letters takes it 35 s. Counting needs
 * neither. That the counts are equal is tested against it.
 */
import type { TiktokenBPE } from 'js-tiktoken/lite';

export interface Encoder {
  /** Cuts text into the pieces that are merged each for itself. */
  readonly pattern: RegExp;
  /** Tokens of one piece of at most `LONGEST_PIECE` UTF-16 units. */
  tokensOf(piece: string): number;
}

/** Merging is quadratic in the length of a piece, with so small a factor that at this length it does not show. */
export const LONGEST_PIECE = 128;

/** A UTF-16 unit takes at most three bytes. */
const MOST_BYTES = LONGEST_PIECE * 3;
const NO_RANK = 0x7fffffff;

/** Words come again and again; what took a merge once is looked up the next time. */
const MOST_REMEMBERED = 50_000;

export function createEncoder(vocabulary: TiktokenBPE): Encoder {
  const ranks = readRanks(vocabulary.bpe_ranks);
  /** Owner: this encoder. Emptied when full: frequent pieces are back at once. */
  const remembered = new Map<string, number>();
  const merge = createMerge(ranks);
  return {
    pattern: new RegExp(vocabulary.pat_str, 'gu'),
    tokensOf(piece) {
      const known = remembered.get(piece);
      if (known !== undefined) return known;
      const bytes = Buffer.from(piece, 'utf8').toString('latin1');
      if (ranks.has(bytes)) return 1;
      const tokens = merge(bytes);
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      remembered.set(piece, tokens);
      return tokens;
    },
  };
}

/** Lines of `! OFFSET TOKEN TOKEN …`, tokens in base64. A key holds one byte a character. */
function readRanks(text: string): Map<string, number> {
  const ranks = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, offset, ...tokens] = line.split(' ');
    let rank = Number(offset);
    for (const token of tokens) {
      ranks.set(atob(token), rank);
      rank += 1;
    }
  }
  return ranks;
}

/** Joins the neighbours of lowest rank until none are left that form a token. */
function createMerge(ranks: ReadonlyMap<string, number>): (bytes: string) => number {
  const starts = new Int32Array(MOST_BYTES + 1);
  const pairRanks = new Int32Array(MOST_BYTES + 1);
  return (bytes) => {
    let parts = bytes.length;
    const rankAt = (part: number) =>
      part < 0 || part + 2 > parts
        ? NO_RANK
        : (ranks.get(bytes.slice(starts[part], starts[part + 2])) ?? NO_RANK);
    for (let index = 0; index <= parts; index += 1) starts[index] = index;
    for (let index = 0; index < parts; index += 1) pairRanks[index] = rankAt(index);
    while (parts > 1) {
      let lowest = NO_RANK;
      let at = -1;
      for (let index = 0; index < parts; index += 1) {
        const rank = pairRanks[index] as number;
        if (rank < lowest) {
          lowest = rank;
          at = index;
        }
      }
      if (at < 0) break;
      starts.copyWithin(at + 1, at + 2, parts + 1);
      pairRanks.copyWithin(at + 1, at + 2, parts);
      parts -= 1;
      pairRanks[at] = rankAt(at);
      if (at > 0) pairRanks[at - 1] = rankAt(at - 1);
    }
    return parts;
  };
}
