/**
 * Screens as lines of styled text, cut to the terminal before anything is drawn. Pure.
 *
 * Invariant: a frame has at most `rows` lines and no line is wider than `columns`: a line that wraps would push the others
 * out of their rows.
 */
import { fitStart, truncate, widthOf } from '../terminal/terminal-text.ts';
import type { Role } from './theme.ts';

export interface Piece {
  readonly text: string;
  readonly role?: Role;
}

export type Line = readonly Piece[];

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Lines that are made when they are looked at: a timeline may have a hundred thousand of which twenty are seen. */
export interface Body {
  readonly length: number;
  lineAt(row: number): Line;
}

export interface ScreenContent {
  readonly title: Line;
  readonly status: Line;
  readonly body: readonly Line[] | Body;
  /** The row of `body` that must be seen; where nothing can be chosen, `null`. */
  readonly focus: number | null;
  /** Rows above that are scrolled away, where nothing can be chosen. */
  readonly scroll?: number;
  readonly hints: string;
}

/** Title, rule, an empty line, hints. */
const FIXED_LINES = 4;

export function bodyRows({ rows }: Size): number {
  return Math.max(1, rows - FIXED_LINES);
}

/** How far a screen without a choice can be scrolled. */
export function mostScroll({ body }: ScreenContent, size: Size): number {
  return Math.max(0, body.length - bodyRows(size));
}

export function frame(content: ScreenContent, size: Size): Line[] {
  const height = bodyRows(size);
  const body = windowOf(content, height);
  const filler = Array.from({ length: height - body.length }, (): Line => []);
  const lines: Line[] = [
    spread([{ text: ' ' }, ...content.title], [...content.status, { text: ' ' }], size.columns),
    [{ text: '─'.repeat(size.columns), role: 'faint' }],
    ...body,
    ...filler,
    [],
    [{ text: ` ${content.hints}`, role: 'faint' }],
  ];
  return lines.slice(0, Math.max(1, size.rows)).map((line) => cut(line, size.columns));
}

/** Every line of a screen, for a file or the clipboard. */
export function allLines(body: ScreenContent['body']): Line[] {
  return Array.from({ length: body.length }, (_, row) => lineOf(body, row));
}

/** As much as fits around the focus. Where something is cut off, the edge says so. */
function windowOf({ body, focus, scroll = 0 }: ScreenContent, height: number): Line[] {
  if (body.length <= height) return allLines(body);
  // The head of a screen stays in sight as long as it can: it says what matters most.
  const wanted = focus === null ? scroll : focus < height - 1 ? 0 : focus - Math.floor(height / 2);
  const from = Math.max(0, Math.min(body.length - height, wanted));
  const shown = Array.from({ length: height }, (_, row) => lineOf(body, from + row));
  if (height < 3) return shown;
  if (from > 0) shown[0] = [{ text: `   ↑ ${from + 1} more`, role: 'faint' }];
  const below = body.length - from - height;
  if (below > 0) shown[height - 1] = [{ text: `   ↓ ${below + 1} more`, role: 'faint' }];
  return shown;
}

function lineOf(body: ScreenContent['body'], row: number): Line {
  return 'lineAt' in body ? body.lineAt(row) : (body[row] ?? []);
}

/** `left` and `right` at the two edges; where both do not fit, the left one gives way. */
function spread(left: Line, right: Line, columns: number): Line {
  const rightWidth = widthOfLine(right);
  const room = Math.max(0, columns - rightWidth - 1);
  const kept = cut(left, room);
  return [...kept, { text: ' '.repeat(Math.max(0, columns - rightWidth - widthOfLine(kept))) }, ...right];
}

export function widthOfLine(line: Line): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0);
}

export function textOfLine(line: Line): string {
  return line
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}

function cut(line: Line, columns: number): Line {
  const kept: Piece[] = [];
  let room = columns;
  for (const piece of line) {
    if (room <= 0) break;
    const text = truncate(piece.text, room);
    kept.push(text === piece.text ? piece : { ...piece, text });
    room -= widthOf(text);
  }
  return kept;
}

/** A line padded or cut to exactly so many cells, to be followed by more. */
export function fitLine(line: Line, columns: number): Line {
  const kept = cut(line, columns);
  return [...kept, { text: fitStart('', columns - widthOfLine(kept)) }];
}
