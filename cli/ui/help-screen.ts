/** Keys and shapes; the keys come from the one table. */
import { LEGEND } from './call-bar.ts';
import type { Line, ScreenContent } from './frame.ts';
import { BINDINGS } from './keys.ts';

export function helpScreen(): ScreenContent {
  const keys = BINDINGS.filter(({ shown }) => shown !== undefined).map(
    ({ shown = '', does = '' }): Line => [{ text: `   ${shown.padEnd(12)}`, role: 'accent' }, { text: does }],
  );
  return {
    title: [{ text: 'Keys', role: 'title' }],
    status: [],
    body: [
      ...keys,
      [],
      [{ text: '   ' }, ...LEGEND],
      [{ text: '   ~ estimated   ≥ parts unknown   – unknown', role: 'faint' }],
    ],
    focus: null,
    hints: 'esc back  q quit',
  };
}
