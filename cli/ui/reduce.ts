/** How the viewer's state moves: calls that arrive, keys that are pressed. Pure. */
import { categoryOf, causeOf } from '../summary/classify.ts';
import { earliestFirst, type ReportedCall } from '../summary/reported-call.ts';
import { summarize } from '../summary/summary.ts';
import { matchesFilter } from './filter.ts';
import { type Command, commandFor, type KeyPress, typingCommandFor } from './keys.ts';
import {
  callById,
  callsOfLineage,
  overviewGroups,
  pushed,
  replaced,
  rowIds,
  selectedRow,
  topScreen,
  type ViewerState,
} from './state.ts';

export type ViewerEvent =
  | { readonly type: 'calls'; readonly calls: readonly ReportedCall[] }
  /** All that the source holds so far has been read. */
  | { readonly type: 'done' }
  | { readonly type: 'command'; readonly command: Command; readonly pageRows: number }
  | { readonly type: 'typed'; readonly text: string }
  /** As pressed: what it means depends on whether a filter is being typed. */
  | { readonly type: 'key'; readonly input: string; readonly key: KeyPress; readonly pageRows: number };

export function reduce(state: ViewerState, event: ViewerEvent): ViewerState {
  switch (event.type) {
    case 'calls':
      return withCalls(state, event.calls);
    case 'done':
      return { ...state, isDone: true };
    case 'key':
      return onKey(state, event.input, event.key, event.pageRows);
    case 'typed':
      return state.draft === null ? state : { ...state, draft: state.draft + event.text };
    case 'command':
      return state.draft === null
        ? onCommand(state, event.command, event.pageRows)
        : onDraft(state, event.command);
  }
}

function withCalls(state: ViewerState, arrived: readonly ReportedCall[]): ViewerState {
  const byId = new Map(state.calls.map((call) => [call.id, call]));
  for (const call of arrived) byId.set(call.id, call);
  return filtered({ ...state, calls: [...byId.values()].sort(earliestFirst) });
}

function filtered(state: ViewerState): ViewerState {
  const shown = state.calls.filter((call) => matchesFilter(call, state.filter));
  return { ...state, shown, summary: summarize(shown) };
}

function onKey(state: ViewerState, input: string, key: KeyPress, pageRows: number): ViewerState {
  const isTyping = state.draft !== null;
  const command = isTyping ? typingCommandFor(input, key) : commandFor(input, key);
  if (command !== undefined) return reduce(state, { type: 'command', command, pageRows });
  return isTyping && !key.ctrl ? reduce(state, { type: 'typed', text: input }) : state;
}

function onDraft(state: ViewerState, command: Command): ViewerState {
  if (command === 'back') return { ...state, draft: null };
  if (command === 'erase') return { ...state, draft: (state.draft ?? '').slice(0, -1) };
  if (command === 'open') return filtered({ ...state, filter: (state.draft ?? '').trim(), draft: null });
  return command === 'interrupt' ? { ...state, hasQuit: true } : state;
}

function onCommand(state: ViewerState, command: Command, pageRows: number): ViewerState {
  switch (command) {
    case 'up':
      return moved(state, -1);
    case 'down':
      return moved(state, 1);
    case 'pageUp':
      return moved(state, -pageRows);
    case 'pageDown':
      return moved(state, pageRows);
    case 'first':
      return moved(state, Number.NEGATIVE_INFINITY);
    case 'last':
      return moved(state, Number.POSITIVE_INFINITY);
    case 'open':
      return opened(state);
    case 'back':
      return wentBack(state);
    case 'lineages':
      return pushed(state, { name: 'lineages', selected: null });
    case 'timeline':
      return openedTimeline(state);
    case 'next':
      return jumped(state, 1);
    case 'previous':
      return jumped(state, -1);
    case 'filter':
      return { ...state, draft: state.filter };
    case 'help':
      return topScreen(state).name === 'help' ? wentBack(state) : pushed(state, { name: 'help' });
    case 'quit':
    case 'interrupt':
      return { ...state, hasQuit: true };
    case 'erase':
      return state;
  }
}

function moved(state: ViewerState, rows: number): ViewerState {
  const ids = rowIds(state);
  const row = Math.min(ids.length - 1, Math.max(0, selectedRow(state) + rows));
  return selectedId(state, ids[row]);
}

function selectedId(state: ViewerState, id: string | undefined): ViewerState {
  const screen = topScreen(state);
  return id === undefined || !('selected' in screen) ? state : replaced(state, { ...screen, selected: id });
}

function opened(state: ViewerState): ViewerState {
  const screen = topScreen(state);
  const id = rowIds(state)[selectedRow(state)];
  if (screen.name === 'help') return wentBack(state);
  if (id === undefined) return state;
  // What the row shows becomes what the row holds on to, also where nobody had moved yet.
  const held = selectedId(state, id);
  if (screen.name === 'lineages') return pushed(held, { name: 'timeline', lineage: id, selected: null });
  if (screen.name === 'timeline') return pushed(held, { name: 'divergence', callId: id });
  const worst = overviewGroups(state.summary).find((group) => group.id === id)?.worst;
  return worst ? pushed(held, { name: 'divergence', callId: worst.id }) : state;
}

function openedTimeline(state: ViewerState): ViewerState {
  const screen = topScreen(state);
  const call = screen.name === 'divergence' ? callById(state, screen.callId) : undefined;
  return call ? pushed(state, { name: 'timeline', lineage: call.lineage, selected: call.id }) : state;
}

/** To the next call with the same cause, in time and around the end; in a timeline to the next call with any loss. */
function jumped(state: ViewerState, step: 1 | -1): ViewerState {
  const screen = topScreen(state);
  if (screen.name === 'divergence') {
    const call = callById(state, screen.callId);
    const cause = call && causeOf(call);
    const id =
      call &&
      neighbour(
        state.shown.filter((other) => causeOf(other) === cause),
        call.id,
        step,
      );
    return id === undefined ? state : replaced(state, { name: 'divergence', callId: id });
  }
  if (screen.name !== 'timeline') return moved(state, step);
  const calls = callsOfLineage(state, screen.lineage);
  const current = rowIds(state)[selectedRow(state)] ?? '';
  return selectedId(
    state,
    neighbour(
      calls.filter((call) => call.id === current || categoryOf(call) !== 'quiet'),
      current,
      step,
    ),
  );
}

function neighbour(calls: readonly ReportedCall[], id: string, step: number): string | undefined {
  const at = calls.findIndex((call) => call.id === id);
  return calls.at((at + step) % calls.length)?.id;
}

function wentBack(state: ViewerState): ViewerState {
  const [first, ...rest] = state.screens;
  if (rest.length > 0) return { ...state, screens: [first, ...rest.slice(0, -1)] };
  return state.filter === '' ? state : filtered({ ...state, filter: '' });
}
