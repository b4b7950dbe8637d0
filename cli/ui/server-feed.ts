/** A server as the viewer is fed: its sums now and every few seconds, and what a screen wants of its calls. */
import type { OpenServer } from '../sources/clickhouse/open-server.ts';
import { plainData, plainText } from '../terminal/terminal-text.ts';
import { HISTORY_WIDTH } from './overview-figures.ts';
import type { Fetched, Wanted } from './server-state.ts';
import type { Subscribe } from './viewer.tsx';

const REFRESH_MS = 5_000;
/** A server that needs long is asked less often: at most for this share of the time. */
const BUSY_SHARE = 0.2;

export interface ServerFeed {
  readonly subscribe: Subscribe;
  readonly fetchWanted: (wanted: Wanted) => Promise<Fetched>;
  /** Until then that there are no calls is not known. */
  readonly hasAnswered: () => boolean;
}

export function serverFeed(
  { summary, isLive }: Pick<OpenServer, 'summary' | 'isLive'>,
  refreshMs = REFRESH_MS,
): ServerFeed {
  let hasAnswered = false;
  return {
    hasAnswered: () => hasAnswered,
    subscribe: ({ onOverview, onDone, onError }) => {
      let timer: NodeJS.Timeout | undefined;
      let hasLeft = false;
      const ask = async () => {
        const startedAtMs = performance.now();
        try {
          // The one door for text of recorded traffic.
          const overview = plainData(await summary.overview(HISTORY_WIDTH));
          hasAnswered = true;
          if (hasLeft) return;
          onOverview(overview);
          onDone();
        } catch (error) {
          if (!hasLeft) onError(new Error(reasonOf(error)));
        }
        const tookMs = performance.now() - startedAtMs;
        if (isLive && !hasLeft) timer = setTimeout(ask, Math.max(refreshMs, tookMs / BUSY_SHARE));
      };
      ask();
      return () => {
        hasLeft = true;
        clearTimeout(timer);
      };
    },
    fetchWanted: async (wanted) => {
      try {
        if (wanted.what === 'lineages')
          return { type: 'lineages', lineages: plainData(await summary.lineages(wanted)) };
        const calls = plainData(await summary.lineageCalls(wanted.lineage, wanted));
        return { type: 'page', wanted, calls };
      } catch (error) {
        return { type: 'missed', reason: reasonOf(error) };
      }
    },
  };
}

function reasonOf(error: unknown): string {
  return plainText(error instanceof Error ? error.message : String(error));
}
