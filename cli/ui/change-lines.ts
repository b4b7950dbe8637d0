/** Before and after: word by word where the text was captured, else by length and hash. Pure. */
import { diffWordsWithSpace } from 'diff';
import type { SizedText } from '../../src/diagnosis.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { formatCount } from '../terminal/format.ts';
import { widthOf } from '../terminal/terminal-text.ts';
import { factWidth } from './fact-lines.ts';
import type { Line, Piece, Size } from './frame.ts';
import type { Role } from './theme.ts';

export interface NamedLine {
  readonly name: string;
  readonly text: Line;
}

const MAX_LINES_A_SIDE = 6;

export function changeLines({ excerpt, change }: ReportedCall, size: Size): NamedLine[] {
  if (excerpt !== null) return wordLines(excerpt, factWidth(size));
  if (change === null) return [];
  return [
    { name: 'before', text: sizedLine(change.before, change.after) },
    { name: 'after', text: sizedLine(change.after, change.before) },
  ];
}

/** Enough of a hash to tell two apart. */
const HASH_LENGTH = 12;

function sizedLine(text: SizedText | null, other: SizedText | null): Line {
  if (text === null) return [{ text: 'nothing', role: 'faint' }];
  const width = Math.max(lengthOf(text).length, lengthOf(other).length);
  const hash = text.hash === '' ? '' : `  #${text.hash.slice(0, HASH_LENGTH)}`;
  return [{ text: lengthOf(text).padStart(width) }, { text: hash, role: 'faint' }];
}

function lengthOf(text: SizedText | null): string {
  return text === null ? '' : `${formatCount(text.bytes)} bytes`;
}

function wordLines(excerpt: { readonly before: string; readonly after: string }, width: number): NamedLine[] {
  const parts = diffWordsWithSpace(excerpt.before, excerpt.after);
  const side = (name: string, isOn: (part: (typeof parts)[number]) => boolean, role: Role) =>
    wrapPieces(
      parts
        .filter(isOn)
        .map((part): Piece => ({ text: part.value, role: part.added || part.removed ? role : 'faint' })),
      width,
    ).map((text, row): NamedLine => ({ name: row === 0 ? name : '', text }));
  return [
    ...side('before', ({ added }) => !added, 'removed'),
    ...side('after', ({ removed }) => !removed, 'added'),
  ];
}

/** Cut by cells, not by words: what differs may be a single blank. */
function wrapPieces(pieces: readonly Piece[], width: number): Line[] {
  const lines: Piece[][] = [[]];
  let room = width;
  for (const { text, role = 'plain' } of pieces) {
    let rest = text;
    while (rest !== '') {
      if (room === 0) {
        lines.push([]);
        room = width;
      }
      const part = startOf(rest, room);
      if (part === '') room = 0;
      else {
        lines.at(-1)?.push({ text: part, role });
        room -= widthOf(part);
        rest = rest.slice(part.length);
      }
    }
  }
  return lines.length <= MAX_LINES_A_SIDE
    ? lines
    : [...lines.slice(0, MAX_LINES_A_SIDE - 1), [{ text: '…', role: 'faint' }]];
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function startOf(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let cells = 0;
  for (const { segment } of graphemes.segment(text)) {
    cells += widthOf(segment);
    if (cells > width) break;
    kept += segment;
  }
  return kept;
}
