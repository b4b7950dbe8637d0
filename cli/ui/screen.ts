/** The state as the lines of one frame. Pure: what React draws is decided here. */
import { divergenceScreen } from './divergence-screen.ts';
import { frame, type Line, type ScreenContent, type Size } from './frame.ts';
import { helpScreen } from './help-screen.ts';
import { lineagesScreen } from './lineages-screen.ts';
import { overviewScreen } from './overview-screen.ts';
import type { SourceInfo } from './source-info.ts';
import { topScreen, type ViewerState } from './state.ts';
import { timelineScreen } from './timeline-screen.ts';

export function screenLines(state: ViewerState, source: SourceInfo, size: Size): Line[] {
  const content = contentOf(state, source, size);
  return frame({ ...content, hints: promptOf(state) ?? content.hints }, size);
}

/** The last line is the filter's while one is typed or set. */
function promptOf({ draft, filter }: ViewerState): string | null {
  if (draft !== null) return `/${draft}▏  ⏎ filter  esc leave`;
  return filter === '' ? null : `/${filter}  (filtered; esc on the overview clears)  ? keys  q quit`;
}

function contentOf(state: ViewerState, source: SourceInfo, size: Size): ScreenContent {
  const screen = topScreen(state);
  switch (screen.name) {
    case 'overview':
      return overviewScreen(state, source, size);
    case 'lineages':
      return lineagesScreen(state, size);
    case 'timeline':
      return timelineScreen(state, screen.lineage, size);
    case 'divergence':
      return divergenceScreen(state, screen.callId, size);
    case 'help':
      return helpScreen();
  }
}
