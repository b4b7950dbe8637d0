/** The viewer's state after key commands, without a terminal; its screens as text. */
import type { ReportedCall } from '../../cli/summary/reported-call.ts';
import { bodyRows, type Line, mostScroll, type Size, textOfLine } from '../../cli/ui/frame.ts';
import type { Command } from '../../cli/ui/keys.ts';
import { reduce } from '../../cli/ui/reduce.ts';
import { screenContent, screenLines } from '../../cli/ui/screen.ts';
import type { SourceInfo } from '../../cli/ui/source-info.ts';
import { initialState, type ViewerState } from '../../cli/ui/state.ts';
import { weddingCalls } from './reported-calls.ts';

export const SOURCE: SourceInfo = {
  name: '.prefixtrace',
  isLive: true,
  hint: null,
  problems: 0,
  readShare: null,
  priceOf: () => null,
};
const CLASSIC: Size = { columns: 80, rows: 24 };

export function loaded(calls: readonly ReportedCall[] = weddingCalls()): ViewerState {
  return reduce(reduce(initialState(), { type: 'calls', calls }), { type: 'done' });
}

export function press(state: ViewerState, ...commands: readonly Command[]): ViewerState {
  return commands.reduce((next, command) => {
    const content = screenContent(next, SOURCE, CLASSIC);
    const drawn = { pageRows: bodyRows(CLASSIC), mostScroll: mostScroll(content, CLASSIC) };
    return reduce(next, { type: 'command', command, drawn });
  }, state);
}

export function type(state: ViewerState, text: string): ViewerState {
  return reduce(state, { type: 'typed', text });
}

function textOf(lines: readonly Line[]): string {
  return lines.map(textOfLine).join('\n');
}

export function shown(state: ViewerState, size: Size = CLASSIC): string {
  return textOf(screenLines(state, SOURCE, size));
}
