/** What to fix first, in one glance. */

import { countOf, formatDuration, formatShare } from '../terminal/format.ts';
import { filterHint } from './filter-hint.ts';
import type { Line, ScreenContent, Size } from './frame.ts';
import { figureLines, fixLines } from './overview-figures.ts';
import { overviewList } from './overview-list.ts';
import type { SourceInfo } from './source-info.ts';
import type { ViewerState } from './state.ts';
import { waitingLines } from './waiting.ts';

export function overviewScreen(state: ViewerState, source: SourceInfo, size: Size): ScreenContent {
  const { totals } = state.summary;
  const base = {
    title: titleOf(source),
    status: statusOf(state, source),
    hints: `↑↓ choose  ⏎ open  l lineages  F floor  ${filterHint(state)}? keys  q quit`,
  };
  if (totals.calls === 0) return { ...base, body: waitingLines(state, source, size), focus: null };
  const head = [...fixLines(state, size), ...figureLines(state, size)];
  const list = overviewList(state, size);
  return {
    ...base,
    body: [...head, [], ...list.lines],
    focus: list.focus === null ? null : head.length + 1 + list.focus,
  };
}

function titleOf(source: SourceInfo): Line {
  const live: Line = source.isLive ? [{ text: ' ● ', role: 'read' }, { text: 'live' }] : [];
  // The name comes last: it is what may be cut.
  return [{ text: 'prefixtrace', role: 'title' }, ...live, { text: `  ${source.name}` }];
}

function statusOf(state: ViewerState, source: SourceInfo): Line {
  const { totals } = state.summary;
  const parts =
    totals.calls === 0
      ? []
      : [
          ...(totals.spanMs === null ? [] : [formatDuration(totals.spanMs)]),
          countOf(totals.lineages, 'lineage'),
          countOf(totals.calls, 'call'),
          ...(source.problems === 0 ? [] : [`${source.problems} unread`]),
        ];
  const counted: Line = [{ text: parts.join(' · '), role: 'faint' }];
  if (state.failure !== null) return [{ text: 'reading stopped  ', role: 'break' }, ...counted];
  // A live source is never read to its end; that is no progress to tell.
  if (state.isDone || source.readShare === null) return counted;
  return [{ text: `reading ${formatShare(source.readShare)}  `, role: 'accent' }, ...counted];
}
