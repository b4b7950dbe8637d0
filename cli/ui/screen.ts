/** The state as the content of one screen, and as the lines of one frame. Pure: what React draws is decided here. */
import { compareScreen } from './compare-screen.ts';
import { divergenceScreen } from './divergence-screen.ts';
import { floorAt, floorScreen } from './floor-screen.ts';
import { frame, type Line, type ScreenContent, type Size } from './frame.ts';
import { goneScreen } from './gone-screen.ts';
import { helpScreen } from './help-screen.ts';
import { lineagesScreen } from './lineages-screen.ts';
import { overviewScreen } from './overview-screen.ts';
import type { SourceInfo } from './source-info.ts';
import { callById, callsOfLineage, topScreen, type ViewerState } from './state.ts';
import { timelineScreen } from './timeline-screen.ts';

const LEAST_SIZE: Size = { columns: 40, rows: 10 };

export function screenLines(state: ViewerState, source: SourceInfo, size: Size): Line[] {
  if (size.columns < LEAST_SIZE.columns || size.rows < LEAST_SIZE.rows)
    return [[{ text: `${LEAST_SIZE.columns}×${LEAST_SIZE.rows} is the least`.slice(0, size.columns) }]];
  const content = screenContent(state, source, size);
  return frame({ ...content, hints: lastLine(state) ?? content.hints }, size);
}

/** The last line is for what is typed, then for what was told, then for the filter that is set. */
function lastLine({ draft, filter, message }: ViewerState): string | null {
  if (draft?.of === 'filter') return `/${draft.text}▏  ⏎ filter  esc leave`;
  if (draft?.of === 'jump') return `:${draft.text}▏  a call's number, a lineage, a kind, a screen  esc leave`;
  if (message !== null) return message;
  return filter === '' ? null : `/${filter}  (filtered; esc on the overview clears)  ? keys  q quit`;
}

export function screenContent(state: ViewerState, source: SourceInfo, size: Size): ScreenContent {
  const screen = topScreen(state);
  // Whatever was opened: with nothing to show, every list says the same.
  if (state.shown.length === 0 && screen.name !== 'help') return overviewScreen(state, source, size);
  switch (screen.name) {
    case 'overview':
      return overviewScreen(state, source, size);
    case 'lineages':
      return lineagesScreen(state, size);
    case 'timeline':
      return timelineScreen(state, screen.lineage, size);
    case 'divergence':
      return divergenceScreen(state, screen, size);
    case 'compare':
      return compareScreen(state, screen, size);
    case 'floor':
      return floorContent(state, screen, source, size);
    case 'help':
      return helpScreen(state, screen.scroll, size);
  }
}

function floorContent(
  state: ViewerState,
  { callId, scroll }: { readonly callId: string; readonly scroll: number },
  source: SourceInfo,
  size: Size,
): ScreenContent {
  const call = callById(state, callId);
  if (call === undefined) return goneScreen();
  const parts = floorAt(callsOfLineage(state, call.lineage), call);
  return floorScreen(parts, call, size, { price: source.priceOf(call), scroll });
}
