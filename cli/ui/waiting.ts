/** What the overview says while there is nothing to show. */
import { wrap } from '../terminal/terminal-text.ts';
import type { Line, Size } from './frame.ts';
import type { SourceInfo } from './source-info.ts';
import type { ViewerState } from './state.ts';

export function waitingLines(state: ViewerState, source: SourceInfo, size: Size): Line[] {
  return [
    [],
    ...whatToDo(state, source).flatMap((paragraph) => [
      ...wrap(paragraph, size.columns - 4).map((text): Line => [{ text: `  ${text}` }]),
      [],
    ]),
  ];
}

function whatToDo(state: ViewerState, source: SourceInfo): string[] {
  if (state.filter !== '') return [`No call matches “${state.filter}”. Press esc to clear the filter.`];
  if (state.failure !== null)
    return [`Reading stopped: ${state.failure}`, 'Press q, mend it and open the viewer again.'];
  if (!state.isDone && !source.isLive) return ['Reading …'];
  if (source.hint !== null) return ['No calls yet.', source.hint];
  if (!source.isLive)
    return [
      `No calls in ${source.name}.`,
      'Is it the right file? `prefixtrace diagnose FILE` says what it holds.',
    ];
  if (!state.isDone) return ['Reading …'];
  return [
    'No calls yet.',
    'Wrap your client with observe() and run it in this directory: calls appear here as they end.',
    'Or press q and try `prefixtrace demo`.',
  ];
}
