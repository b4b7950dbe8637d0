/** What each command does to the state, while nothing is being typed. Pure. */
import { categoryOf, causeOf } from '../summary/classify.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import type { Command } from './keys.ts';
import { nextOrder } from './lineage-order.ts';
import type { Drawn } from './reduce.ts';
import {
  alike,
  callById,
  callsOfLineage,
  currentCall,
  lineageRowId,
  overviewGroups,
  pushed,
  type Request,
  replaced,
  rowIds,
  type Screen,
  selectedId,
  selectedRow,
  timelineOf,
  topScreen,
  type ViewerState,
  worstLineages,
} from './state.ts';

export function commanded(state: ViewerState, command: Command, drawn: Drawn): ViewerState {
  switch (command) {
    case 'up':
      return moved(state, -1, drawn);
    case 'down':
      return moved(state, 1, drawn);
    case 'pageUp':
      return moved(state, -drawn.pageRows, drawn);
    case 'pageDown':
      return moved(state, drawn.pageRows, drawn);
    case 'first':
      return moved(state, Number.NEGATIVE_INFINITY, drawn);
    case 'last':
      return moved(state, Number.POSITIVE_INFINITY, drawn);
    case 'open':
      return opened(state);
    case 'back':
      return wentBack(state);
    case 'lineages':
      return pushed(state, { name: 'lineages', selected: null });
    case 'timeline':
      return onCall(state, (call) => ({ name: 'timeline', lineage: call.lineage, selected: call.id }));
    case 'floor':
      return onCall(state, (call) => ({ name: 'floor', callId: call.id, scroll: 0 }));
    case 'compare':
      return compared(state);
    case 'next':
      return jumped(state, 1, drawn);
    case 'previous':
      return jumped(state, -1, drawn);
    case 'firstOfKind':
      return firstOfKind(state);
    case 'sort':
      return sorted(state, { by: nextOrder(state.sort.by), isReversed: false });
    case 'reverse':
      return sorted(state, { ...state.sort, isReversed: !state.sort.isReversed });
    case 'filter':
      if (state.server !== null)
        return {
          ...state,
          message: 'No filter on a server, which adds up all calls: use --since and --until.',
        };
      return { ...state, draft: { of: 'filter', text: state.filter } };
    case 'jump':
      return { ...state, draft: { of: 'jump', text: '' } };
    case 'copy':
    case 'export':
      return requested(state, command);
    case 'help':
      return topScreen(state).name === 'help' ? wentBack(state) : pushed(state, { name: 'help', scroll: 0 });
    case 'quit':
    case 'interrupt':
      return { ...state, hasQuit: true };
    case 'erase':
      return state;
  }
}

function moved(state: ViewerState, rows: number, { mostScroll }: Drawn): ViewerState {
  const screen = topScreen(state);
  if ('scroll' in screen) {
    const scroll = Math.min(mostScroll, Math.max(0, Math.min(screen.scroll, mostScroll) + rows));
    return replaced(state, { ...screen, scroll });
  }
  const ids = rowIds(state);
  return chosen(state, ids[Math.min(ids.length - 1, Math.max(0, selectedRow(state) + rows))]);
}

function chosen(state: ViewerState, id: string | undefined): ViewerState {
  const screen = topScreen(state);
  return id === undefined || !('selected' in screen) ? state : replaced(state, { ...screen, selected: id });
}

function opened(state: ViewerState): ViewerState {
  const screen = topScreen(state);
  if (screen.name === 'help') return wentBack(state);
  const id = selectedId(state);
  if (id === undefined) return state;
  // What the row shows becomes what the row holds on to, also where nobody had moved yet.
  const held = chosen(state, id);
  const below = screenBelow(state, screen, id);
  return below === undefined ? state : pushed(held, below);
}

function screenBelow(state: ViewerState, screen: Screen, id: string): Screen | undefined {
  if (screen.name === 'lineages') return { name: 'timeline', lineage: id, selected: null };
  if (screen.name === 'timeline') {
    const row = timelineOf(state, screen.lineage).find((other) => other.id === id);
    if (row?.kind !== 'beside') return { name: 'divergence', callId: id, scroll: 0 };
    const [first] = row.calls;
    return first && { name: 'timeline', lineage: first.lineage, selected: first.id };
  }
  const worst = overviewGroups(state.summary).find((group) => group.id === id)?.worst;
  if (worst !== undefined) return { name: 'divergence', callId: worst.id, scroll: 0 };
  const lineage = worstLineages(state.summary).find(({ name }) => lineageRowId(name) === id);
  return lineage && { name: 'timeline', lineage: lineage.name, selected: null };
}

function onCall(state: ViewerState, screenOf: (call: ReportedCall) => Screen): ViewerState {
  const call = currentCall(state);
  if (call === undefined) return { ...state, message: 'Choose a call first.' };
  const screen = screenOf(call);
  const [first, ...rest] = state.screens;
  // From one lineage's timeline to another's is a way that one wants to go back.
  return screen.name === topScreen(state).name
    ? replaced(state, screen)
    : { ...state, screens: [first, ...rest, screen] };
}

/** The first press marks a call, the second on another call compares the two, the older one first. */
function compared(state: ViewerState): ViewerState {
  const call = currentCall(state);
  if (call === undefined) return { ...state, message: 'Choose a call to compare first.' };
  const marked = state.markedId === null ? undefined : callById(state, state.markedId);
  if (marked === undefined)
    return {
      ...state,
      markedId: call.id,
      message: `Call ${call.turn} is marked: choose another one and press c.`,
    };
  if (marked.id === call.id) return { ...state, markedId: null, message: 'The mark is gone.' };
  const [before, after] = (marked.at ?? '') > (call.at ?? '') ? [call, marked] : [marked, call];
  return pushed(
    { ...state, markedId: null },
    { name: 'compare', beforeId: before.id, afterId: after.id, scroll: 0 },
  );
}

/** To the next call with the same cause, in time and around the end; in a timeline to the next call with any loss. */
function jumped(state: ViewerState, step: 1 | -1, drawn: Drawn): ViewerState {
  const screen = topScreen(state);
  if (screen.name === 'divergence') {
    const call = callById(state, screen.callId);
    const id = call && neighbour(alike(state, call), call.id, step);
    return id === undefined ? state : replaced(state, { name: 'divergence', callId: id, scroll: 0 });
  }
  if (screen.name !== 'timeline') return moved(state, step, drawn);
  const calls = callsOfLineage(state, screen.lineage);
  const current = currentCall(state)?.id ?? '';
  return chosen(
    state,
    neighbour(
      calls.filter((call) => call.id === current || categoryOf(call) !== 'quiet'),
      current,
      step,
    ),
  );
}

function firstOfKind(state: ViewerState): ViewerState {
  const call = currentCall(state);
  const first = call && alike(state, call)[0];
  if (first === undefined || causeOf(first) === null)
    return { ...state, message: 'This call has no finding.' };
  const screen: Screen = { name: 'divergence', callId: first.id, scroll: 0 };
  const message = first.id === call?.id ? 'This is the first of its kind.' : null;
  return {
    ...(topScreen(state).name === 'divergence' ? replaced(state, screen) : pushed(state, screen)),
    message,
  };
}

function neighbour(calls: readonly ReportedCall[], id: string, step: number): string | undefined {
  const at = calls.findIndex((call) => call.id === id);
  return calls.at((at + step) % calls.length)?.id;
}

function sorted(state: ViewerState, sort: ViewerState['sort']): ViewerState {
  if (topScreen(state).name !== 'lineages')
    return { ...state, message: 'Only lineages can be sorted: press l.' };
  // Whoever sorts wants to see what stands first now.
  return replaced({ ...state, sort }, { name: 'lineages', selected: null });
}

function requested(state: ViewerState, what: Request['what']): ViewerState {
  if (topScreen(state).name === 'help') return state;
  return { ...state, request: { number: (state.request?.number ?? 0) + 1, what } };
}

function wentBack(state: ViewerState): ViewerState {
  const [first, ...rest] = state.screens;
  return rest.length > 0 ? { ...state, screens: [first, ...rest.slice(0, -1)] } : state;
}
