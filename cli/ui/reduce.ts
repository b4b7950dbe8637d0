/** How the viewer's state moves: calls that arrive, keys that are pressed. Pure. */

import type { Overview } from '../sources/summary-source.ts';
import { earliestFirst, type ReportedCall } from '../summary/reported-call.ts';
import { summarize } from '../summary/summary.ts';
import { commanded } from './commands.ts';
import { matchesFilter } from './filter.ts';
import { jumpTo } from './jump.ts';
import { type Command, commandFor, type KeyPress, typingCommandFor } from './keys.ts';
import { type Fetched, mergedLineages, serverAfter, withPage } from './server-state.ts';
import type { Draft, ViewerState } from './state.ts';

/** What a key press needs to know of the screen as it is drawn. */
export interface Drawn {
  readonly pageRows: number;
  /** How far the screen can be scrolled where nothing on it can be chosen. */
  readonly mostScroll: number;
}

export type ViewerEvent =
  | { readonly type: 'calls'; readonly calls: readonly ReportedCall[] }
  /** What a server's calls come to. */
  | { readonly type: 'overview'; readonly overview: Overview }
  | Fetched
  /** All that the source holds so far has been read. */
  | { readonly type: 'done' }
  /** Reading ended before its time. */
  | { readonly type: 'failed'; readonly reason: string }
  /** What a request came to. */
  | { readonly type: 'told'; readonly message: string }
  | { readonly type: 'command'; readonly command: Command; readonly drawn: Drawn }
  | { readonly type: 'typed'; readonly text: string }
  /** As pressed: what it means depends on whether something is being typed. */
  | { readonly type: 'key'; readonly input: string; readonly key: KeyPress; readonly drawn: Drawn };

export function reduce(state: ViewerState, event: ViewerEvent): ViewerState {
  switch (event.type) {
    case 'calls':
      return withCalls(state, event.calls);
    case 'overview':
      return withOverview(state, event.overview);
    case 'page':
      return state.server === null
        ? state
        : withCalls({ ...state, server: withPage(state.server, event) }, event.calls);
    case 'lineages':
      return {
        ...state,
        summary: { ...state.summary, lineages: mergedLineages(state.summary.lineages, event.lineages) },
      };
    case 'missed':
      return state.server === null
        ? state
        : {
            ...state,
            server: { ...state.server, problem: event.reason, misses: state.server.misses + 1 },
            message: event.reason,
          };
    case 'done':
      return { ...state, isDone: true };
    case 'failed':
      return { ...state, isDone: true, failure: event.reason };
    case 'told':
      return { ...state, message: event.message };
    case 'key':
      return onKey({ ...state, message: null }, event.input, event.key, event.drawn);
    case 'typed':
      return state.draft === null
        ? state
        : { ...state, draft: { ...state.draft, text: state.draft.text + event.text } };
    case 'command':
      if (state.draft !== null) return onDraft(state, state.draft, event.command);
      return event.command === 'back' && state.screens.length === 1 && state.filter !== ''
        ? filtered({ ...state, filter: '' })
        : commanded(state, event.command, event.drawn);
  }
}

function withCalls(state: ViewerState, arrived: readonly ReportedCall[]): ViewerState {
  const byId = new Map(state.byId);
  for (const call of arrived) byId.set(call.id, call);
  return filtered({ ...state, byId, calls: [...byId.values()].sort(earliestFirst) });
}

function withOverview(state: ViewerState, overview: Overview): ViewerState {
  const { summary } = overview;
  const groups = [...summary.faults, ...summary.circumstances, ...summary.declared];
  const lineages =
    state.server === null ? summary.lineages : mergedLineages(state.summary.lineages, summary.lineages);
  return withCalls(
    {
      ...state,
      server: serverAfter(state.server, overview),
      summary: { ...summary, lineages },
      failure: null,
    },
    groups.map(({ worst }) => worst),
  );
}

function filtered(state: ViewerState): ViewerState {
  const { calls, filter } = state;
  // What is held of a server is no measure of the whole.
  if (state.server !== null) return { ...state, shown: calls };
  const shown = filter === '' ? calls : calls.filter((call) => matchesFilter(call, filter));
  return { ...state, shown, summary: summarize(shown) };
}

function onKey(state: ViewerState, input: string, key: KeyPress, drawn: Drawn): ViewerState {
  const isTyping = state.draft !== null;
  const command = isTyping ? typingCommandFor(input, key) : commandFor(input, key);
  if (command !== undefined) return reduce(state, { type: 'command', command, drawn });
  return isTyping && !key.ctrl ? reduce(state, { type: 'typed', text: input }) : state;
}

function onDraft(state: ViewerState, draft: Draft, command: Command): ViewerState {
  const left = { ...state, draft: null };
  switch (command) {
    case 'back':
      return left;
    case 'erase':
      // Erasing what is not there leaves, as in vi and less.
      return draft.text === ''
        ? left
        : { ...state, draft: { ...draft, text: [...draft.text].slice(0, -1).join('') } };
    case 'open':
      return draft.of === 'filter'
        ? filtered({ ...left, filter: draft.text.trim() })
        : jumpTo(left, draft.text.trim());
    case 'interrupt':
      return { ...state, hasQuit: true };
    default:
      return state;
  }
}
