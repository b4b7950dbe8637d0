/**
 * What the viewer holds of a server: its sums, and the calls that were asked for, a page at a time. Pure: what is missing
 * on the top screen is told as data, and whoever draws the screen fetches it.
 */
import type { Overview } from '../sources/summary-source.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import type { LineageSummary } from '../summary/summary.ts';
import { callById, rowIds, selectedRow, topScreen, type ViewerState } from './state.ts';

export interface ServerState {
  readonly history: Overview['history'];
  /** Lineages whose calls were asked for. */
  readonly pages: ReadonlyMap<string, HeldCalls>;
  /** Why the last page did not come; asked again with the next sums. */
  readonly problem: string | null;
  /** How often one did not come: the same question is asked anew after each. */
  readonly misses: number;
}

interface HeldCalls {
  /** The first of them, oldest first. */
  readonly calls: readonly ReportedCall[];
  readonly isWhole: boolean;
}

export type Wanted =
  | { readonly what: 'calls'; readonly lineage: string; readonly offset: number; readonly limit: number }
  | { readonly what: 'lineages'; readonly offset: number; readonly limit: number };

/** What came of it. */
export type Fetched =
  | {
      readonly type: 'page';
      readonly wanted: Wanted & { what: 'calls' };
      readonly calls: readonly ReportedCall[];
    }
  | { readonly type: 'lineages'; readonly lineages: readonly LineageSummary[] }
  | { readonly type: 'missed'; readonly reason: string };

const PAGE_CALLS = 200;
const PAGE_LINEAGES = 200;
/** So many rows before the end of what is held, the next page is fetched. */
const ROWS_AHEAD = 50;

/** `null`: the top screen has all that it shows. */
export function wantedOf(state: ViewerState): Wanted | null {
  const { server, summary } = state;
  if (server === null || server.problem !== null) return null;
  const screen = topScreen(state);
  const isNearEnd = () => selectedRow(state) + ROWS_AHEAD >= rowIds(state).length;
  switch (screen.name) {
    case 'timeline': {
      const isAway = screen.selected !== null && !rowIds(state).includes(screen.selected);
      return isNearEnd() || isAway ? callsOf(server, screen.lineage) : null;
    }
    case 'floor': {
      const call = callById(state, screen.callId);
      const held = call && server.pages.get(call.lineage)?.calls.some(({ id }) => id === call.id);
      return call === undefined || held ? null : callsOf(server, call.lineage);
    }
    case 'lineages':
      return isNearEnd() && summary.lineages.length < summary.totals.lineages
        ? { what: 'lineages', offset: summary.lineages.length, limit: PAGE_LINEAGES }
        : null;
    default:
      return null;
  }
}

function callsOf({ pages }: ServerState, lineage: string): Wanted | null {
  const held = pages.get(lineage);
  if (held?.isWhole) return null;
  return { what: 'calls', lineage, offset: held?.calls.length ?? 0, limit: PAGE_CALLS };
}

/** Sums anew: lineages that were fetched further down stay, and those that have grown are to be read on. */
export function serverAfter(server: ServerState | null, { summary, history }: Overview): ServerState {
  const pages = new Map(server?.pages);
  for (const { name, totals } of summary.lineages) {
    const held = pages.get(name);
    if (held?.isWhole && totals.calls > held.calls.length) pages.set(name, { ...held, isWhole: false });
  }
  return { history, pages, problem: null, misses: server?.misses ?? 0 };
}

export function withPage(
  server: ServerState,
  { wanted: { lineage, offset, limit }, calls }: Extract<Fetched, { type: 'page' }>,
): ServerState {
  const before = server.pages.get(lineage)?.calls ?? [];
  // An answer to an older question.
  if (before.length !== offset) return server;
  const held = { calls: [...before, ...calls], isWhole: calls.length < limit };
  return { ...server, pages: new Map(server.pages).set(lineage, held) };
}

/** Each once; the newer sums win. */
export function mergedLineages(
  older: readonly LineageSummary[],
  newer: readonly LineageSummary[],
): LineageSummary[] {
  return [...new Map([...older, ...newer].map((lineage) => [lineage.name, lineage])).values()];
}

/** As many steps as there is room for, of those that the server was asked for. */
export function historyIn(history: Overview['history'], steps: number): (number | null)[] {
  const count = Math.min(steps, history.length);
  return Array.from(
    { length: count },
    (_, step) => history[Math.floor((step * history.length) / count)] ?? null,
  );
}
