/** Starts the viewer on a source and resolves when the person leaves it. The only way into Ink and React. */
import { render } from 'ink';
import type { CallSource } from '../sources/call-source.ts';
import { plainData, plainText } from '../terminal/terminal-text.ts';
import { onFullScreen } from './full-screen.ts';
import { createTheme } from './theme.ts';
import { type Subscribe, Viewer } from './viewer.tsx';

/** Calls that arrive together are drawn together. */
const DRAW_INTERVAL_MS = 80;
/** A live source never ends: after this time what it held is taken as read. */
const SETTLED_AFTER_MS = 1_500;

export async function runViewer(source: CallSource, isColored: boolean): Promise<void> {
  const countProblems = () => source.notes.skippedLines.count + source.notes.unreadable.count;
  await onFullScreen(process.stdout, process.stdin, async () => {
    const { waitUntilExit } = render(
      <Viewer
        source={{ name: plainText(source.name), isLive: source.canFollow }}
        countProblems={countProblems}
        subscribe={subscribeTo(source)}
        theme={createTheme(isColored)}
      />,
      { exitOnCtrlC: false },
    );
    await waitUntilExit();
  });
}

function subscribeTo(source: CallSource): Subscribe {
  return ({ onCalls, onDone, onError }) => {
    const controller = new AbortController();
    const { signal } = controller;
    let waiting: Parameters<typeof onCalls>[0][number][] = [];
    const deliver = () => {
      if (waiting.length === 0 || signal.aborted) return;
      onCalls(waiting);
      waiting = [];
    };
    const timer = setInterval(deliver, DRAW_INTERVAL_MS);
    const settled = source.canFollow ? setTimeout(onDone, SETTLED_AFTER_MS) : undefined;
    const read = async () => {
      // The one door for text of recorded traffic.
      for await (const batch of source.read({ follow: source.canFollow, signal })) {
        for (const call of batch) waiting.push(plainData(call));
      }
      deliver();
      if (!signal.aborted) onDone();
    };
    read().catch((error: unknown) => onError(error instanceof Error ? error : new Error(String(error))));
    return () => {
      controller.abort();
      clearInterval(timer);
      clearTimeout(settled);
    };
  };
}
