/** One lineage, a call a row: how the prompt grew, what the cache held, and where it broke. */
import { categoryOf, causeOf } from '../summary/classify.ts';
import { scopeInWords } from '../summary/explain.ts';
import { idleBeforeMs } from '../summary/groups.ts';
import type { CallsByIndex, ReportedCall } from '../summary/reported-call.ts';
import { totalsOf } from '../summary/totals.ts';
import { countOf, formatDuration, formatShare, formatTimeOfDay, formatUsd } from '../terminal/format.ts';
import { fitEnd, fitStart } from '../terminal/terminal-text.ts';
import { callBar, LEGEND } from './call-bar.ts';
import { type Body, fitLine, type Line, type ScreenContent, type Size } from './frame.ts';
import { remembered } from './remembered.ts';
import { byIndexOf, callsOfLineage, selectedId, timelineOf, type ViewerState } from './state.ts';
import { SHAPES } from './theme.ts';
import type { TimelineRow } from './timeline-rows.ts';

const NUMBER_WIDTH = 6;
const TIME_WIDTH = 10;
const HIT_WIDTH = 7;
/** The legend, an empty line, the titles. */
const HEAD_LINES = 3;

export function timelineScreen(state: ViewerState, lineage: string, size: Size): ScreenContent {
  const calls = callsOfLineage(state, lineage);
  const rows = timelineOf(state, lineage);
  const chosen = selectedId(state);
  const { longest, hitRate, models } = factsOf(calls);
  const isWhole = state.server === null || state.server.pages.get(lineage)?.isWhole === true;
  const barWidth = Math.max(10, Math.floor((size.columns - NUMBER_WIDTH - TIME_WIDTH - HIT_WIDTH) * 0.5));
  const drawing = { byIndex: byIndexOf(state), longest, barWidth };
  const [first] = calls;
  return {
    title: [{ text: first ? scopeInWords(first) : wordsOf(state, lineage), role: 'title' }],
    status: [
      {
        text: `${models} · ${countOf(calls.length, 'call')}${isWhole ? '' : ' so far'} · hit ${formatShare(hitRate)}`,
        role: 'faint',
      },
    ],
    body: withHead(barWidth, rows.length + (isWhole ? 0 : 1), (row) =>
      row === rows.length ? readingLine(state) : rowLine(rows[row], chosen, drawing),
    ),
    focus:
      HEAD_LINES +
      Math.max(
        0,
        rows.findIndex(({ id }) => id !== null && id === chosen),
      ),
    hints: '↑↓ choose  ⏎ open  n next loss  c compare  : call  esc back  ? keys  q quit',
  };
}

const factsOf = remembered((calls: readonly ReportedCall[]) => ({
  longest: calls.reduce((longest, call) => Math.max(longest, call.tokens.input), 1),
  hitRate: totalsOf(calls).hitRate,
  models: [...new Set(calls.map(({ model }) => model ?? 'unknown model'))].join(', '),
}));

function wordsOf({ summary }: ViewerState, lineage: string): string {
  return summary.lineages.find(({ name }) => name === lineage)?.words ?? lineage;
}

function readingLine({ server }: ViewerState): Line {
  const problem = server?.problem ?? null;
  return [
    problem === null
      ? { text: `${GUTTER}Reading …`, role: 'faint' }
      : { text: `${GUTTER}${problem}`, role: 'break' },
  ];
}

function withHead(barWidth: number, rows: number, rowAt: (row: number) => Line): Body {
  const titles = `${fitEnd('#', NUMBER_WIDTH - 2)}  ${fitStart('at', TIME_WIDTH)}${fitStart('prompt', barWidth)}${fitEnd('hit', HIT_WIDTH)}`;
  const head: readonly Line[] = [[{ text: ' ' }, ...LEGEND], [], [{ text: ` ${titles}`, role: 'faint' }]];
  return { length: HEAD_LINES + rows, lineAt: (row) => head[row] ?? rowAt(row - HEAD_LINES) };
}

interface Drawing {
  readonly byIndex: CallsByIndex;
  /** Input tokens that fill a bar. */
  readonly longest: number;
  readonly barWidth: number;
}

function rowLine(row: TimelineRow | undefined, chosen: string | undefined, drawing: Drawing): Line {
  switch (row?.kind) {
    case 'call':
      return callLine(row.call, row.id === chosen, drawing);
    case 'beside':
      return besideLine(row.calls, row.id === chosen, drawing);
    case 'pause':
      return pauseLine(row.idleMs);
    case undefined:
      return [];
  }
}

function callLine(call: ReportedCall, isChosen: boolean, { byIndex, longest, barWidth }: Drawing): Line {
  const role = isChosen ? 'title' : 'plain';
  return [
    { text: isChosen ? SHAPES.selected : ' ', role: 'accent' },
    {
      text: `${fitEnd(String(call.turn), NUMBER_WIDTH - 2)}  ${fitStart(formatTimeOfDay(call.at), TIME_WIDTH)}`,
      role,
    },
    ...fitLine(callBar(call, longest, barWidth), barWidth),
    { text: fitEnd(formatShare(hitOf(call)), HIT_WIDTH), role },
    ...remark(call, byIndex),
  ];
}

function hitOf({ tokens: { input, cacheRead } }: ReportedCall): number | null {
  return cacheRead === null || input === 0 ? null : cacheRead / input;
}

function remark(call: ReportedCall, byIndex: CallsByIndex): Line {
  const cause = causeOf(call);
  const usd = call.cost?.rebilledUsd ?? null;
  const cost = usd === null || usd === 0 ? '' : ` ${formatUsd(usd)}`;
  switch (categoryOf(call)) {
    case 'fault':
      return [{ text: `  ${cause}`, role: 'break' }, { text: cost }];
    case 'circumstance': {
      const idleMs = call.miss === 'ttl_expired' ? idleBeforeMs(call, byIndex) : null;
      return [
        { text: `  ${idleMs === null ? cause : `${formatDuration(idleMs)} idle, lapsed`}`, role: 'lapse' },
        { text: cost },
      ];
    }
    case 'declared':
      return [{ text: `  ${cause}, meant`, role: 'faint' }];
    case 'quiet':
      return call.baseline === null && call.turn === 1 ? [{ text: '  first call', role: 'faint' }] : [];
  }
}

const GUTTER = ' '.repeat(NUMBER_WIDTH - 1);

/** Under the call before it, smaller: calls of another lineage. */
function besideLine(calls: readonly ReportedCall[], isChosen: boolean, { longest, barWidth }: Drawing): Line {
  const [first] = calls;
  if (first === undefined) return [];
  const { phase, delegation } = first.scope;
  const name = delegation || phase || first.lineage;
  const role = isChosen ? 'title' : 'faint';
  const width = Math.max(4, Math.floor(barWidth / 2));
  const largest = calls.reduce((larger, call) => (call.tokens.input > larger.tokens.input ? call : larger));
  const bar = callBar(largest, Math.max(longest, largest.tokens.input), width);
  return [
    { text: isChosen ? SHAPES.selected : ' ', role: 'accent' },
    { text: `${fitEnd('┊', NUMBER_WIDTH - 2)}  ${fitStart(formatTimeOfDay(first.at), TIME_WIDTH)}`, role },
    { text: '└ ', role: 'faint' },
    ...fitLine(bar, barWidth - 2),
    { text: fitEnd(formatShare(totalsOf(calls).hitRate), HIT_WIDTH), role },
    { text: `  ${calls.length === 1 ? '' : `${countOf(calls.length, 'call')} of `}${name}`, role },
  ];
}

function pauseLine(idleMs: number): Line {
  return [{ text: `${GUTTER}${SHAPES.lapse}  ${formatDuration(idleMs)} without a call`, role: 'lapse' }];
}
