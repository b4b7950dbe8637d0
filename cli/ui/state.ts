/**
 * The viewer's state: what it holds and what can be asked of it. Pure, without React or a terminal.
 *
 * Screens lie on a stack; going back is dropping the top one. A selection holds on to an id, not to a row number, so
 * that it stays where it is while calls arrive and rows change places.
 */
import type { CauseGroup } from '../summary/groups.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { type Summary, summarize } from '../summary/summary.ts';

export type Screen =
  | { readonly name: 'overview'; readonly selected: string | null }
  | { readonly name: 'lineages'; readonly selected: string | null }
  | { readonly name: 'timeline'; readonly lineage: string; readonly selected: string | null }
  | { readonly name: 'divergence'; readonly callId: string }
  | { readonly name: 'help' };

export interface ViewerState {
  /** All calls, earliest first. */
  readonly calls: readonly ReportedCall[];
  /** Those that pass the filter, and what they come to. */
  readonly shown: readonly ReportedCall[];
  readonly summary: Summary;
  /** Top of the stack last; never empty. */
  readonly screens: readonly [Screen, ...Screen[]];
  readonly filter: string;
  /** What is being typed after `/`; `null` while nothing is. */
  readonly draft: string | null;
  readonly isDone: boolean;
  readonly hasQuit: boolean;
}

export function initialState(): ViewerState {
  return {
    calls: [],
    shown: [],
    summary: summarize([]),
    screens: [{ name: 'overview', selected: null }],
    filter: '',
    draft: null,
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
      return overviewGroups(state.summary).map((group) => group.id);
    case 'lineages':
      return state.summary.lineages.map((lineage) => lineage.name ?? '');
    case 'timeline':
      return callsOfLineage(state, screen.lineage).map((call) => call.id);
    case 'divergence':
    case 'help':
      return [];
  }
}

/** The selected row, or the first where nothing was chosen yet or the chosen one is gone. */
export function selectedRow(state: ViewerState): number {
  const screen = topScreen(state);
  const selected = 'selected' in screen ? screen.selected : null;
  return Math.max(0, selected === null ? 0 : rowIds(state).indexOf(selected));
}

export function overviewGroups({ faults, circumstances, declared }: Summary): readonly CauseGroup[] {
  return [...faults, ...circumstances, ...declared];
}

export function callsOfLineage(state: ViewerState, lineage: string): readonly ReportedCall[] {
  return state.summary.lineages.find(({ name }) => name === lineage)?.calls ?? [];
}

export function callById(state: ViewerState, id: string): ReportedCall | undefined {
  return state.calls.find((call) => call.id === id);
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
