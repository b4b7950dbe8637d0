/** A live source may replace what was on the screen. */
import type { ScreenContent } from './frame.ts';

export function goneScreen(): ScreenContent {
  return {
    title: [],
    status: [],
    body: [[{ text: ' What was shown here is gone from the source. Press esc.' }]],
    focus: null,
    hints: 'esc back  q quit',
  };
}
