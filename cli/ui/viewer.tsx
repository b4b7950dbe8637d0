/** Draws frames and hands keys to the reducer; everything else is decided in the pure files around it. */
import { Box, Text, useApp, useInput } from 'ink';
import { memo, useEffect, useReducer } from 'react';
import type { Overview } from '../sources/summary-source.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { bodyRows, type Line, mostScroll, type Size } from './frame.ts';
import { keysOf } from './keys.ts';
import { reduce } from './reduce.ts';
import type { PerformRequest } from './requests.ts';
import { screenContent, screenLines } from './screen.ts';
import { type Fetched, type Wanted, wantedOf } from './server-state.ts';
import type { SourceInfo } from './source-info.ts';
import { initialState } from './state.ts';
import type { Theme } from './theme.ts';
import { useTerminalSize } from './use-terminal-size.ts';
import { viewMarkdown } from './view-markdown.ts';

/** Delivers calls as they arrive; the answer stops it. */
export type Subscribe = (listener: {
  readonly onCalls: (calls: readonly ReportedCall[]) => void;
  readonly onOverview: (overview: Overview) => void;
  readonly onDone: () => void;
  readonly onError: (error: Error) => void;
}) => () => void;

export interface ViewerProps {
  /** As it is now: problems and progress change while calls are read. */
  readonly describeSource: () => SourceInfo;
  readonly subscribe: Subscribe;
  readonly performRequest: PerformRequest;
  /** Fetches what a screen shows of a server; never rejects. */
  readonly fetchWanted?: (wanted: Wanted) => Promise<Fetched>;
  readonly theme: Theme;
  /** Instead of the terminal's own. */
  readonly size?: Size;
}

export function Viewer({
  describeSource,
  subscribe,
  performRequest,
  fetchWanted,
  theme,
  size: fixedSize,
}: ViewerProps) {
  const { exit } = useApp();
  const terminalSize = useTerminalSize();
  const size = fixedSize ?? terminalSize;
  const [state, dispatch] = useReducer(reduce, undefined, initialState);
  const source = describeSource();

  useEffect(
    () =>
      subscribe({
        onCalls: (calls) => dispatch({ type: 'calls', calls }),
        onOverview: (overview) => dispatch({ type: 'overview', overview }),
        onDone: () => dispatch({ type: 'done' }),
        onError: (error) => dispatch({ type: 'failed', reason: error.message }),
      }),
    [subscribe],
  );
  useEffect(() => {
    if (state.hasQuit) exit();
  }, [state.hasQuit, exit]);

  const { request } = state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once a request, with the state in which it was made
  useEffect(() => {
    if (request === null) return;
    performRequest(request.what, viewMarkdown(state, source)).then((message) =>
      dispatch({ type: 'told', message }),
    );
  }, [request]);

  const wanted = wantedOf(state);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each thing that is wanted, not for each object that says so
  useEffect(() => {
    if (wanted !== null && fetchWanted !== undefined) fetchWanted(wanted).then(dispatch);
  }, [JSON.stringify(wanted), state.server?.misses, fetchWanted]);

  useInput((text, pressed) => {
    const drawn = {
      pageRows: bodyRows(size),
      mostScroll: mostScroll(screenContent(state, source, size), size),
    };
    for (const [input, key] of keysOf(text, pressed)) dispatch({ type: 'key', input, key, drawn });
  });

  return (
    <Box flexDirection="column" width={size.columns}>
      {screenLines(state, source, size).map((line, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line of a frame has no other identity than its row
        <StyledLine key={row} line={line} theme={theme} />
      ))}
    </Box>
  );
}

interface StyledLineProps {
  readonly line: Line;
  readonly theme: Theme;
}

/** Drawn anew only where it changed: moving a selection touches two lines of a frame. */
const StyledLine = memo(function StyledLine({ line, theme }: StyledLineProps) {
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
}, isSameLine);

function isSameLine(before: StyledLineProps, after: StyledLineProps): boolean {
  return (
    before.theme === after.theme &&
    before.line.length === after.line.length &&
    before.line.every(
      ({ text, role }, index) => text === after.line[index]?.text && role === after.line[index]?.role,
    )
  );
}
