/** What to fix first, in one glance. */

import { fixFirst, groupRow } from '../summary/group-row.ts';
import type { CauseGroup } from '../summary/groups.ts';
import { hitRateHistory, sparkline } from '../summary/hit-rate-history.ts';
import { hasEveryPrefixHeld } from '../summary/summary.ts';
import { possibleUsd, type Totals } from '../summary/totals.ts';
import {
  countOf,
  formatDuration,
  formatMeasure,
  formatShare,
  formatTokens,
  formatUsd,
} from '../terminal/format.ts';
import { fitEnd, fitStart, truncate, widthOf, wrap } from '../terminal/terminal-text.ts';
import { runsOf } from './call-bar.ts';
import type { Line, ScreenContent, Size } from './frame.ts';
import type { SourceInfo } from './source-info.ts';
import { overviewGroups, selectedRow, type ViewerState } from './state.ts';
import { type Role, SHAPES } from './theme.ts';
import { waitingLines } from './waiting.ts';

const LABEL_WIDTH = 12;
const HISTORY_WIDTH = 24;
const HINTS = '↑↓ choose  ⏎ open  l lineages  / filter  ? keys  q quit';

export function overviewScreen(state: ViewerState, source: SourceInfo, size: Size): ScreenContent {
  const { totals } = state.summary;
  const base = { title: titleOf(source), status: statusOf(state, source), hints: HINTS };
  if (totals.calls === 0) return { ...base, body: waitingLines(state, source, size), focus: null };
  const head = [...fixLines(state, size), ...figureLines(state, size)];
  const list = listLines(state, size);
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
  if (totals.calls === 0) return [];
  const parts = [
    ...(totals.spanMs === null ? [] : [formatDuration(totals.spanMs)]),
    countOf(totals.lineages, 'lineage'),
    countOf(totals.calls, 'call'),
    ...(source.problems === 0 ? [] : [`${source.problems} unread`]),
  ];
  return [{ text: parts.join(' · '), role: 'faint' }];
}

function fixLines({ summary }: ViewerState, size: Size): Line[] {
  const { totals } = summary;
  const fix = fixFirst(summary.faults, {
    usd: formatMeasure(totals.avoidableUsd, formatUsd),
    tokens: formatMeasure(totals.avoidableTokens, formatTokens),
  });
  if (fix === null) {
    const nothing = hasEveryPrefixHeld(summary)
      ? 'nothing: every prompt kept its prefix'
      : 'nothing in a prompt that was seen';
    return [[label('Fix first'), { text: nothing, role: 'read' }], []];
  }
  const room = size.columns - LABEL_WIDTH - 2;
  const rightWidth = Math.min(Math.max(widthOf(fix.gain), widthOf(fix.extent)), Math.floor(room * 0.55));
  const pair = (left: string, right: string, name: string, role: Role): Line => [
    label(name),
    { text: fitStart(left, room - rightWidth - 2), role },
    { text: `  ${fitEnd(right, rightWidth)}` },
  ];
  return [
    pair(fix.phrase, fix.gain, 'Fix first', 'title'),
    pair(fix.place, fix.extent, '', 'plain'),
    ...adviceLines(fix.advice ?? '', room - 2),
    [],
  ];
}

/** Most advice has two or three lines; the whole of it stands on the detail screen. */
const MAX_ADVICE_LINES = 3;

function adviceLines(advice: string, width: number): Line[] {
  const lines = wrap(advice, width);
  return lines.slice(0, MAX_ADVICE_LINES).map((text, row): Line => {
    const isCut = row === MAX_ADVICE_LINES - 1 && lines.length > MAX_ADVICE_LINES;
    return [
      label(''),
      { text: row === 0 ? '→ ' : '  ', role: 'accent' },
      { text: isCut ? truncate(`${text} …`, width) : text },
    ];
  });
}

function figureLines({ shown, summary }: ViewerState, size: Size): Line[] {
  const { totals } = summary;
  const width = Math.max(8, Math.min(HISTORY_WIDTH, size.columns - 56));
  const possible = possibleUsd(totals);
  const isLossy = (totals.avoidableTokens.value ?? 0) > 0;
  return [
    [
      label('Hit rate'),
      { text: fitStart(sparkline(hitRateHistory(shown, width)), width), role: 'read' },
      { text: `  ${formatShare(totals.hitRate)}` },
      { text: isLossy ? `, could be ${formatShare(totals.possibleHitRate)}` : '', role: 'faint' },
    ],
    [
      label('Cost'),
      ...shareBar(totals, width),
      { text: `  ${formatMeasure(totals.usd, formatUsd)}` },
      { text: isLossy && possible !== null ? `, could be ${formatUsd(possible)}` : '', role: 'faint' },
    ],
  ];
}

/** All input of the calls that report usage: read, written, neither. */
function shareBar(totals: Totals, width: number): Line {
  const parts: [Role, number][] = [
    ['read', totals.readTokens.value ?? 0],
    ['written', totals.writtenTokens.value ?? 0],
    ['uncached', totals.uncachedTokens.value ?? 0],
  ];
  const sum = parts.reduce((total, [, tokens]) => total + tokens, 0);
  if (sum === 0) return [{ text: fitStart(SHAPES.unknown.repeat(3), width), role: 'unknown' }];
  let end = 0;
  const ends = parts.map(([, tokens]) => {
    end += tokens;
    return end / sum;
  });
  return runsOf(
    Array.from(
      { length: width },
      (_, cell) => parts[ends.findIndex((to) => (cell + 0.5) / width <= to)]?.[0] ?? 'uncached',
    ),
  );
}

function label(text: string): { readonly text: string; readonly role: Role } {
  return { text: ` ${text.padEnd(LABEL_WIDTH)}`, role: 'faint' };
}

const FIGURES_WIDTH = 8 + 11 + 10;

function listLines(
  state: ViewerState,
  size: Size,
): { readonly lines: Line[]; readonly focus: number | null } {
  const { summary } = state;
  const groups = overviewGroups(summary);
  const chosen = groups[selectedRow(state)]?.id;
  const room = size.columns - FIGURES_WIDTH - 2;
  const causeWidth = Math.min(room - 16, Math.max(16, ...groups.map(({ cause }) => cause.length)) + 2);
  const lines: Line[] = [];
  let focus: number | null = null;
  const section = (title: string, members: readonly CauseGroup[], figures: boolean) => {
    if (members.length === 0) return;
    const names = figures ? [fitEnd('calls', 8), fitEnd('tokens', 11), fitEnd('cost', 10)].join('') : '';
    lines.push([{ text: ` ${fitStart(title, room)}${names}`, role: 'faint' }]);
    for (const group of members) {
      if (group.id === chosen) focus = lines.length;
      lines.push(groupLine(group, group.id === chosen, causeWidth, room));
    }
  };
  section('Findings', summary.faults, true);
  section('Not the prompt', summary.circumstances, summary.faults.length === 0);
  section('Meant', summary.declared, summary.faults.length + summary.circumstances.length === 0);
  return { lines, focus };
}

function groupLine(group: CauseGroup, isChosen: boolean, causeWidth: number, room: number): Line {
  const row = groupRow(group);
  const role: Role = isChosen ? 'title' : 'plain';
  const place = widthOf(row.place) < room - causeWidth ? row.place : row.shortPlace;
  return [
    { text: isChosen ? SHAPES.selected : ' ', role: 'accent' },
    { text: `${fitStart(row.cause, causeWidth - 2)}  `, role },
    { text: fitStart(place, room - causeWidth), role: isChosen ? 'title' : 'faint' },
    { text: fitEnd(row.calls, 8) + fitEnd(row.tokens, 11) + fitEnd(row.usd, 10), role },
  ];
}
