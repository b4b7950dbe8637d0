/** Columns of plain text. Where the terminal is narrow, columns that may shrink do so, from the last one on. Widths in cells. */
import { fitEnd, fitStart, widthOf } from './terminal-text.ts';

export interface Column {
  readonly title: string;
  readonly align: 'start' | 'end';
  readonly shrinks?: boolean;
}

const GAP = '  ';
const LEAST_WIDTH = 8;

export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): string[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[index] ?? ''))),
  );
  let excess = widths.reduce((sum, cells) => sum + cells, 0) + GAP.length * (columns.length - 1) - width;
  for (let index = columns.length - 1; index >= 0 && excess > 0; index--) {
    const column = columns[index];
    if (!column?.shrinks) continue;
    const cells = widths[index] ?? 0;
    const least = Math.max(widthOf(column.title), Math.min(cells, LEAST_WIDTH));
    widths[index] = Math.max(least, cells - excess);
    excess -= cells - (widths[index] ?? 0);
  }
  const line = (cells: readonly string[]) =>
    columns
      .map(({ align }, index) =>
        (align === 'end' ? fitEnd : fitStart)(cells[index] ?? '', widths[index] ?? 0),
      )
      .join(GAP)
      .trimEnd();
  return [line(columns.map(({ title }) => title)), ...rows.map(line)];
}
