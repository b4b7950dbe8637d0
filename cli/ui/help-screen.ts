/** Keys and shapes; the keys come from the one table. */
import { LEGEND } from './call-bar.ts';
import { fitLine, type Line, type ScreenContent, type Size } from './frame.ts';
import { type Binding, KEY_GROUPS, type KeyGroup } from './keys.ts';
import type { ViewerState } from './state.ts';

const WIDE_COLUMNS = 180;
const COLUMN_WIDTH = 60;

export function helpScreen(
  { server }: Pick<ViewerState, 'server'>,
  scroll: number,
  size: Size,
): ScreenContent {
  // The filter is offered where it works: see filter-hint.ts.
  const isOffered = ({ command }: Binding) => command !== 'filter' || server === null;
  const blocks = KEY_GROUPS.map(({ title, bindings }) =>
    groupLines({ title, bindings: bindings.filter(isOffered) }),
  );
  return {
    title: [{ text: 'Keys', role: 'title' }],
    status: [],
    body: [
      ...(size.columns >= WIDE_COLUMNS ? beside(blocks) : blocks.flat()),
      [{ text: '   ' }, ...LEGEND],
      [{ text: '   ~ estimated   ≥ parts unknown   – unknown', role: 'faint' }],
    ],
    focus: null,
    scroll,
    hints: '↑↓ scroll  esc back  q quit',
  };
}

function groupLines({ title, bindings }: KeyGroup): Line[] {
  return [
    [{ text: ` ${title}`, role: 'faint' }],
    ...bindings.flatMap(({ shown, does }): Line[] =>
      shown === undefined ? [] : [[{ text: `   ${shown.padEnd(11)}`, role: 'accent' }, { text: does ?? '' }]],
    ),
  ];
}

function beside(blocks: readonly (readonly Line[])[]): Line[] {
  const height = Math.max(...blocks.map((block) => block.length));
  return [
    ...Array.from({ length: height }, (_, row) =>
      blocks.flatMap((block) => fitLine(block[row] ?? [], COLUMN_WIDTH)),
    ),
    [],
  ];
}
