/** `:`: a number is a call of this lineage, a word a screen, a lineage or a kind. Pure. */
import { causeOf } from '../summary/classify.ts';
import {
  callsOfLineage,
  currentCall,
  pushed,
  replaced,
  type Screen,
  topScreen,
  type ViewerState,
} from './state.ts';

export function jumpTo(state: ViewerState, target: string): ViewerState {
  if (target === '') return state;
  const screen =
    screenNamed(state, target) ??
    callNumbered(state, target) ??
    lineageNamed(state, target) ??
    kindNamed(state, target);
  if (screen === undefined)
    return { ...state, message: `No call, lineage, kind or screen is called “${target}”.` };
  if (screen.name === 'overview') return { ...state, screens: [state.screens[0]] };
  return topScreen(state).name === screen.name ? replaced(state, screen) : pushed(state, screen);
}

function screenNamed(state: ViewerState, target: string): Screen | undefined {
  const call = currentCall(state);
  switch (target) {
    case 'overview':
      return state.screens[0];
    case 'lineages':
      return { name: 'lineages', selected: null };
    case 'help':
      return { name: 'help', scroll: 0 };
    case 'timeline':
      return call && { name: 'timeline', lineage: call.lineage, selected: call.id };
    case 'floor':
      return call && { name: 'floor', callId: call.id, scroll: 0 };
    default:
      return undefined;
  }
}

/** The turn in the lineage at hand; without one, the place among all calls. */
function callNumbered(state: ViewerState, target: string): Screen | undefined {
  if (!/^\d+$/.test(target)) return undefined;
  const number = Number(target);
  const screen = topScreen(state);
  const lineage =
    screen.name === 'timeline'
      ? screen.lineage
      : screen.name === 'divergence'
        ? currentCall(state)?.lineage
        : undefined;
  const call =
    lineage === undefined
      ? state.shown[number - 1]
      : callsOfLineage(state, lineage).find(({ turn }) => turn === number);
  return call && { name: 'divergence', callId: call.id, scroll: 0 };
}

function lineageNamed(state: ViewerState, target: string): Screen | undefined {
  const wanted = target.toLowerCase();
  const { lineages } = state.summary;
  const found =
    lineages.find(({ name, words }) => name === target || words.toLowerCase() === wanted) ??
    lineages.find(({ words }) => words.toLowerCase().includes(wanted));
  return found && { name: 'timeline', lineage: found.name, selected: null };
}

function kindNamed(state: ViewerState, target: string): Screen | undefined {
  const wanted = target.toLowerCase();
  const call = state.shown.find((other) => causeOf(other)?.toLowerCase().includes(wanted));
  return call && { name: 'divergence', callId: call.id, scroll: 0 };
}
