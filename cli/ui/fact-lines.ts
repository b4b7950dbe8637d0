/** A name in front, its text behind, wrapped. */
import { wrap } from '../terminal/terminal-text.ts';
import type { Line, Size } from './frame.ts';
import type { Role } from './theme.ts';

const LABEL_WIDTH = 8;

export function factWidth({ columns }: Size): number {
  return columns - LABEL_WIDTH - 2;
}

export function factLine(name: string, text: Line): Line {
  return [{ text: ` ${name.padEnd(LABEL_WIDTH)}`, role: name === 'do' ? 'accent' : 'faint' }, ...text];
}

export function factLines(name: string, text: string, size: Size): Line[] {
  const role: Role = name === 'do' ? 'title' : 'plain';
  return wrap(text, factWidth(size)).map((line, row) =>
    factLine(row === 0 ? name : '', [{ text: line, role }]),
  );
}
