/** Draws frames and hands keys to the reducer; everything else is decided in the pure files around it. */
import { Box, Text, useApp, useInput } from 'ink';
import { useEffect, useReducer } from 'react';
import type { ReportedCall } from '../summary/reported-call.ts';
import { bodyRows, type Line, type Size } from './frame.ts';
import { keysOf } from './keys.ts';
import { reduce } from './reduce.ts';
import { screenLines } from './screen.ts';
import type { SourceInfo } from './source-info.ts';
import { initialState } from './state.ts';
import type { Theme } from './theme.ts';
import { useTerminalSize } from './use-terminal-size.ts';

/** Delivers calls as they arrive; the answer stops it. */
export type Subscribe = (listener: {
  readonly onCalls: (calls: readonly ReportedCall[]) => void;
  readonly onDone: () => void;
  readonly onError: (error: Error) => void;
}) => () => void;

export interface ViewerProps {
  readonly source: Omit<SourceInfo, 'problems'>;
  readonly countProblems: () => number;
  readonly subscribe: Subscribe;
  readonly theme: Theme;
  /** Instead of the terminal's own. */
  readonly size?: Size;
}

export function Viewer({ source, countProblems, subscribe, theme, size: fixedSize }: ViewerProps) {
  const { exit } = useApp();
  const terminalSize = useTerminalSize();
  const size = fixedSize ?? terminalSize;
  const [state, dispatch] = useReducer(reduce, undefined, initialState);

  useEffect(
    () =>
      subscribe({
        onCalls: (calls) => dispatch({ type: 'calls', calls }),
        onDone: () => dispatch({ type: 'done' }),
        onError: (error) => exit(error),
      }),
    [subscribe, exit],
  );
  useEffect(() => {
    if (state.hasQuit) exit();
  }, [state.hasQuit, exit]);

  useInput((text, pressed) => {
    for (const [input, key] of keysOf(text, pressed))
      dispatch({ type: 'key', input, key, pageRows: bodyRows(size) });
  });

  const lines = screenLines(state, { ...source, problems: countProblems() }, size);
  return (
    <Box flexDirection="column" width={size.columns}>
      {lines.map((line, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line of a frame has no other identity than its row
        <StyledLine key={row} line={line} theme={theme} />
      ))}
    </Box>
  );
}

function StyledLine({ line, theme }: { readonly line: Line; readonly theme: Theme }) {
  // Ink gives an empty text no row.
  if (line.length === 0) return <Text> </Text>;
  return (
    <Text wrap="truncate">
      {line.map(({ text, role }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces are drawn anew with their line
        <Text key={index} {...theme.style(role ?? 'plain')}>
          {text}
        </Text>
      ))}
    </Text>
  );
}
