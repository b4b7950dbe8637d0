/**
 * The viewer's state: what it holds and what can be asked of it. Pure, without React or a terminal.
 *
 * Screens lie on a stack; going back is dropping the top one. A selection holds on to an id, not to a row number, so
 * that it stays where it is while calls arrive and rows change places.
 */
import { causeOf } from '../summary/classify.ts';
import type { CauseGroup } from '../summary/groups.ts';
import { type CallsByIndex, callsByIndex, type ReportedCall } from '../summary/reported-call.ts';
import { type LineageSummary, type Summary, summarize } from '../summary/summary.ts';
import { type LineageSort, sortLineages } from './lineage-order.ts';
import { remembered } from './remembered.ts';
import type { ServerState } from './server-state.ts';
import { type TimelineRow, timelineRows } from './timeline-rows.ts';

export type Screen =
  | { readonly name: 'overview'; readonly selected: string | null }
  | { readonly name: 'lineages'; readonly selected: string | null }
  | { readonly name: 'timeline'; readonly lineage: string; readonly selected: string | null }
  | { readonly name: 'divergence'; readonly callId: string; readonly scroll: number }
  | { readonly name: 'compare'; readonly beforeId: string; readonly afterId: string; readonly scroll: number }
  | { readonly name: 'floor'; readonly callId: string; readonly scroll: number }
  | { readonly name: 'help'; readonly scroll: number };

/** What is being typed, behind `/` or `:`. */
export interface Draft {
  readonly of: 'filter' | 'jump';
  readonly text: string;
}

/** Something outside the state that a key asked for. Each has a number of its own, so that it is done once. */
export interface Request {
  readonly number: number;
  readonly what: 'copy' | 'export';
}

export interface ViewerState {
  /** All calls, earliest first. */
  readonly calls: readonly ReportedCall[];
  readonly byId: ReadonlyMap<string, ReportedCall>;
  /** Those that pass the filter, and what they come to. */
  readonly shown: readonly ReportedCall[];
  readonly summary: Summary;
  /** Top of the stack last; never empty. */
  readonly screens: readonly [Screen, ...Screen[]];
  readonly filter: string;
  readonly draft: Draft | null;
  readonly sort: LineageSort;
  /** The call that the next one is compared with. */
  readonly markedId: string | null;
  /** What the last key did or could not do; gone with the next one. */
  readonly message: string | null;
  readonly request: Request | null;
  /** Where a server adds up; `null` where all calls are held here. */
  readonly server: ServerState | null;
  /** Why reading ended early. */
  readonly failure: string | null;
  readonly isDone: boolean;
  readonly hasQuit: boolean;
}

export function initialState(): ViewerState {
  return {
    calls: [],
    byId: new Map(),
    shown: [],
    summary: summarize([]),
    screens: [{ name: 'overview', selected: null }],
    filter: '',
    draft: null,
    sort: { by: 'avoidable', isReversed: false },
    markedId: null,
    message: null,
    request: null,
    server: null,
    failure: null,
    isDone: false,
    hasQuit: false,
  };
}

export function topScreen(state: ViewerState): Screen {
  return state.screens[state.screens.length - 1] ?? state.screens[0];
}

/** The ids that can be chosen on the top screen, in the order in which they stand there. */
export function rowIds(state: ViewerState): readonly string[] {
  const screen = topScreen(state);
  switch (screen.name) {
    case 'overview':
      return overviewIds(state.summary);
    case 'lineages':
      return lineageIds(lineagesOf(state));
    case 'timeline':
      return timelineIds(timelineOf(state, screen.lineage));
    case 'divergence':
    case 'compare':
    case 'floor':
    case 'help':
      return [];
  }
}

const overviewIds = remembered((summary: Summary) => [
  ...overviewGroups(summary).map(({ id }) => id),
  ...worstLineages(summary).map(({ name }) => lineageRowId(name)),
]);
const lineageIds = remembered((lineages: readonly LineageSummary[]) => lineages.map(({ name }) => name));
const timelineIds = remembered((rows: readonly TimelineRow[]) => rows.flatMap(({ id }) => id ?? []));

/** The selected row, or the first where nothing was chosen yet or the chosen one is gone. */
export function selectedRow(state: ViewerState): number {
  const screen = topScreen(state);
  const selected = 'selected' in screen ? screen.selected : null;
  return Math.max(0, selected === null ? 0 : rowIds(state).indexOf(selected));
}

export function selectedId(state: ViewerState): string | undefined {
  return rowIds(state)[selectedRow(state)];
}

export function overviewGroups({ faults, circumstances, declared }: Summary): readonly CauseGroup[] {
  return [...faults, ...circumstances, ...declared];
}

const MAX_WORST_LINEAGES = 5;

/** Those with the most that a change would have saved; none where there is but one lineage. */
export const worstLineages = remembered((summary: Summary): readonly LineageSummary[] =>
  summary.totals.lineages < 2
    ? []
    : sortLineages(
        summary.lineages.filter(({ totals }) => (totals.avoidableTokens.value ?? 0) > 0),
        { by: 'avoidable', isReversed: false },
      ).slice(0, MAX_WORST_LINEAGES),
);

/** On the overview a lineage stands beside causes: its row needs an id that no cause has. */
export function lineageRowId(lineage: string): string {
  return `lineage\n${lineage}`;
}

const sorted = remembered((summary: Summary, sort: LineageSort) => sortLineages(summary.lineages, sort));

export function lineagesOf(state: ViewerState): readonly LineageSummary[] {
  return sorted(state.summary, state.sort);
}

export function callsOfLineage(state: ViewerState, lineage: string): readonly ReportedCall[] {
  if (state.server !== null) return state.server.pages.get(lineage)?.calls ?? [];
  return callsByLineage(state.summary).get(lineage) ?? [];
}

const callsByLineage = remembered(
  (summary: Summary) => new Map(summary.lineages.map(({ name, calls }) => [name, calls])),
);

const rowsOf = remembered(timelineRows);

export function timelineOf(state: ViewerState, lineage: string): readonly TimelineRow[] {
  return rowsOf(state.shown, callsOfLineage(state, lineage));
}

const indexed = remembered(callsByIndex);

export function baselineOf(state: ViewerState, call: ReportedCall): ReportedCall | undefined {
  return call.baseline === null ? undefined : byIndexOf(state).get(call.baseline);
}

export function byIndexOf(state: ViewerState): CallsByIndex {
  return indexed(state.calls);
}

/** All calls with the same cause, in order of time. */
export function alike(state: ViewerState, call: ReportedCall): readonly ReportedCall[] {
  return callsOfCause(state.shown, causeOf(call));
}

const callsOfCause = remembered((shown: readonly ReportedCall[], cause: string | null) =>
  shown.filter((call) => causeOf(call) === cause),
);

export function callById(state: ViewerState, id: string): ReportedCall | undefined {
  return state.byId.get(id);
}

/** The call that the top screen is about: the one shown, or the one that is chosen. */
export function currentCall(state: ViewerState): ReportedCall | undefined {
  const screen = topScreen(state);
  switch (screen.name) {
    case 'divergence':
    case 'floor':
      return callById(state, screen.callId);
    case 'compare':
      return callById(state, screen.afterId);
    case 'timeline': {
      const id = selectedId(state);
      const row = timelineOf(state, screen.lineage).find((other) => other.id === id);
      return row?.kind === 'call' ? row.call : row?.kind === 'beside' ? row.calls[0] : undefined;
    }
    case 'lineages':
      return callsOfLineage(state, selectedId(state) ?? '').at(-1);
    case 'overview': {
      const id = selectedId(state);
      const group = overviewGroups(state.summary).find((other) => other.id === id);
      if (group) return group.worst;
      return worstLineages(state.summary)
        .find(({ name }) => lineageRowId(name) === id)
        ?.calls.at(-1);
    }
    case 'help':
      return undefined;
  }
}

export function pushed(state: ViewerState, screen: Screen): ViewerState {
  // The same screen once more would only make the way back longer.
  if (topScreen(state).name === screen.name) return replaced(state, screen);
  const [first, ...rest] = state.screens;
  return { ...state, screens: [first, ...rest, screen] };
}

export function replaced(state: ViewerState, screen: Screen): ViewerState {
  const [first, ...rest] = state.screens;
  return { ...state, screens: rest.length === 0 ? [screen] : [first, ...rest.slice(0, -1), screen] };
}
