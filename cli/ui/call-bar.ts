/** One call as a bar: how long its prompt was, what of it was read, written or neither, and where it broke. Pure. */
import { categoryOf } from '../summary/classify.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import type { Line, Piece } from './frame.ts';
import { type Role, SHAPES } from './theme.ts';

/** `longest`: the input tokens that fill the width, so that bars of one lineage can be compared. */
export function callBar(call: ReportedCall, longest: number, width: number): Line {
  const { input, cacheRead, cacheWrite } = call.tokens;
  const cells = input <= 0 || longest <= 0 ? 0 : Math.max(1, Math.round((input / longest) * width));
  if (cells === 0) return [];
  if (cacheRead === null) return [{ text: SHAPES.unknown.repeat(cells), role: 'unknown' }];
  const cellOf = (tokens: number) => Math.min(cells, Math.round((tokens / input) * cells));
  // A little that was read is not nothing: it keeps a cell.
  const readEnd = cacheRead > 0 && cells > 2 ? Math.max(1, cellOf(cacheRead)) : cellOf(cacheRead);
  const writtenEnd = Math.max(readEnd, cellOf(cacheRead + (cacheWrite ?? 0)));
  const shapes: Role[] = Array.from({ length: cells }, (_, cell) =>
    cell < readEnd ? 'read' : cell < writtenEnd ? 'written' : 'uncached',
  );
  const mark = markOf(call, cells);
  if (mark) shapes[mark.cell] = mark.role;
  return runsOf(shapes);
}

function markOf(call: ReportedCall, cells: number): { readonly cell: number; readonly role: Role } | null {
  const category = categoryOf(call);
  if (category === 'quiet') return null;
  if (call.divergence === null) return { cell: 0, role: 'lapse' };
  const at = Math.floor((call.tokens.shared / Math.max(1, call.tokens.input)) * cells);
  const least = cells > 2 && (call.tokens.cacheRead ?? 0) > 0 ? 1 : 0;
  return { cell: Math.min(cells - 1, Math.max(least, at)), role: 'break' };
}

export function runsOf(roles: readonly Role[]): Piece[] {
  const pieces: { text: string; role: Role }[] = [];
  for (const role of roles) {
    const shape = shapeOf(role);
    const last = pieces.at(-1);
    if (last?.role === role) last.text += shape;
    else pieces.push({ text: shape, role });
  }
  return pieces;
}

function shapeOf(role: Role): string {
  return role in SHAPES ? SHAPES[role as keyof typeof SHAPES] : ' '; // `in` has just shown that it is one
}

export const LEGEND: Line = [
  { text: SHAPES.read, role: 'read' },
  { text: ' read  ' },
  { text: SHAPES.written, role: 'written' },
  { text: ' written  ' },
  { text: SHAPES.uncached, role: 'uncached' },
  { text: ' uncached  ' },
  { text: SHAPES.break, role: 'break' },
  { text: ' break  ' },
  { text: SHAPES.lapse, role: 'lapse' },
  { text: ' not the prompt' },
];
