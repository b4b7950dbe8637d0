/** Starts the viewer on a source and resolves when the person leaves it. */
import { loadPrices, type Prices } from '../../src/cost/prices.ts';
import { floorPrice } from '../floor/floor-price.ts';
import type { CallSource } from '../sources/call-source.ts';
import type { OpenServer } from '../sources/clickhouse/open-server.ts';
import { plainData, plainText } from '../terminal/terminal-text.ts';
import { frame, type Size, textOfLine } from './frame.ts';
import { onFullScreen } from './full-screen.ts';
import { overviewScreen } from './overview-screen.ts';
import { Painter } from './painter.ts';
import { performRequests } from './requests.ts';
import { serverFeed } from './server-feed.ts';
import type { SourceInfo } from './source-info.ts';
import { initialState } from './state.ts';
import { createTheme } from './theme.ts';
import type { Subscribe, ViewerProps } from './viewer.tsx';

/** Calls that arrive together are drawn together. */
const DRAW_INTERVAL_MS = 80;
/** Taking calls in costs time in proportion to those that are held: the pause grows with them, so that keys come first. */
const CALLS_A_PAUSE_MS = 50;
/** A live source never ends: after this time what it held is taken as read. */
const SETTLED_AFTER_MS = 1_500;

export interface ViewerOptions {
  readonly isColored: boolean;
  /** Where exported views are written. */
  readonly workingDirectory: string;
}

export async function runViewer(source: CallSource, options: ViewerOptions): Promise<void> {
  await show({ describe: () => sourceInfo(source), subscribe: subscribeTo(source) }, options);
}

/** The same screens, over what a server adds up. */
export async function runServerViewer(server: OpenServer, options: ViewerOptions): Promise<void> {
  const feed = serverFeed(server);
  const describe = () => ({
    name: plainText(server.name),
    isLive: server.isLive,
    hint: feed.hasAnswered() ? 'The server holds no calls of this time: --since 7d asks for more.' : null,
    problems: server.summary.notes.unreadable.count,
    readShare: null,
  });
  await show({ describe, ...feed }, options);
}

interface Shown {
  readonly describe: () => Omit<SourceInfo, 'priceOf'>;
  readonly subscribe: Subscribe;
  readonly fetchWanted?: ViewerProps['fetchWanted'];
}

async function show({ describe, subscribe, fetchWanted }: Shown, options: ViewerOptions): Promise<void> {
  const { stdout, stdin } = process;
  const priceOf = pricesInTime();
  const describeSource = () => ({ ...describe(), priceOf });
  await onFullScreen(stdout, stdin, async (left) => {
    const painter = new Painter(stdout, left);
    painter.write(firstFrame(describeSource(), painter));
    const { renderViewer } = await import('./render-viewer.tsx');
    await renderViewer(
      {
        describeSource,
        subscribe,
        performRequest: performRequests(stdout, options.workingDirectory),
        theme: createTheme(options.isColored),
        ...(fetchWanted && { fetchWanted }),
      },
      painter,
    );
  });
}

/** What stands there while the rest is loaded: the overview, before anything is known. */
function firstFrame(source: SourceInfo, terminal: Size): string {
  const size = { columns: terminal.columns || 80, rows: terminal.rows || 24 };
  return frame(overviewScreen(initialState(), source, size), size)
    .map(textOfLine)
    .join('\n');
}

function sourceInfo(source: CallSource): Omit<SourceInfo, 'priceOf'> {
  const { name, canFollow, hint, notes } = source;
  const read = source.progress?.() ?? null;
  return {
    name: plainText(name),
    isLive: canFollow,
    hint: hint ?? null,
    problems: notes.skippedLines.count + notes.unreadable.count,
    readShare: read?.totalBytes ? Math.min(1, read.readBytes / read.totalBytes) : null,
  };
}

/** Prices load beside the first frames: only the floor needs them. */
function pricesInTime(): SourceInfo['priceOf'] {
  let prices: Prices | undefined;
  loadPrices().then((loaded) => {
    prices = loaded;
  });
  return ({ model, tokens: { input }, at }) =>
    prices === undefined ? null : floorPrice({ model, input, at }, prices);
}

function subscribeTo(source: CallSource): Subscribe {
  return ({ onCalls, onDone, onError }) => {
    const controller = new AbortController();
    const { signal } = controller;
    let waiting: Parameters<typeof onCalls>[0][number][] = [];
    let delivered = 0;
    let timer: NodeJS.Timeout | undefined;
    const deliver = () => {
      clearTimeout(timer);
      timer = undefined;
      if (waiting.length === 0 || signal.aborted) return;
      const calls = waiting;
      waiting = [];
      delivered += calls.length;
      onCalls(calls);
    };
    const settled = source.canFollow ? setTimeout(onDone, SETTLED_AFTER_MS) : undefined;
    const read = async () => {
      for await (const batch of source.read({ follow: source.canFollow, signal })) {
        // The one door for text of recorded traffic.
        for (const call of batch) waiting.push(plainData(call));
        timer ??= setTimeout(deliver, Math.max(DRAW_INTERVAL_MS, delivered / CALLS_A_PAUSE_MS));
      }
      deliver();
      if (!signal.aborted) onDone();
    };
    read().catch((error: unknown) => {
      deliver();
      onError(error instanceof Error ? error : new Error(String(error)));
    });
    return () => {
      controller.abort();
      clearTimeout(timer);
      clearTimeout(settled);
    };
  };
}
