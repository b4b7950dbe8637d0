/** One lineage, a call a row: how the prompt grew, what the cache held, and where it broke. */
import { categoryOf, causeOf } from '../summary/classify.ts';
import { scopeInWords } from '../summary/explain.ts';
import { idleBeforeMs } from '../summary/groups.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { totalsOf } from '../summary/totals.ts';
import { countOf, formatDuration, formatShare, formatTimeOfDay, formatUsd } from '../terminal/format.ts';
import { fitEnd, fitStart } from '../terminal/terminal-text.ts';
import { callBar, LEGEND } from './call-bar.ts';
import { fitLine, type Line, type ScreenContent, type Size } from './frame.ts';
import { callsOfLineage, selectedRow, type ViewerState } from './state.ts';
import { SHAPES } from './theme.ts';

const NUMBER_WIDTH = 5;
const TIME_WIDTH = 10;
const HIT_WIDTH = 7;

export function timelineScreen(state: ViewerState, lineage: string, size: Size): ScreenContent {
  const calls = callsOfLineage(state, lineage);
  const [first] = calls;
  const chosen = calls[selectedRow(state)]?.id;
  const barWidth = Math.max(10, Math.floor((size.columns - NUMBER_WIDTH - TIME_WIDTH - HIT_WIDTH) * 0.5));
  const longest = Math.max(1, ...calls.map((call) => call.tokens.input));
  const callsByIndex = new Map(state.calls.map((call) => [call.index, call]));
  const rows = withOthers(calls, first === undefined ? [] : othersOfThread(state.shown, first));
  const lines = rows.map((row) =>
    'others' in row
      ? othersLine(row.others)
      : callLine(
          row.call,
          row.call.id === chosen,
          callsByIndex,
          callBar(row.call, longest, barWidth),
          barWidth,
        ),
  );
  const totals = totalsOf(calls);
  const models = [...new Set(calls.map(({ model }) => model ?? 'unknown model'))].join(', ');
  return {
    title: [{ text: first ? scopeInWords(first) : lineage, role: 'title' }],
    status: [
      {
        text: `${models} · ${countOf(calls.length, 'call')} · hit ${formatShare(totals.hitRate)}`,
        role: 'faint',
      },
    ],
    body: [
      [{ text: ' ' }, ...LEGEND],
      [],
      [
        {
          text: ` ${fitEnd('#', 3)}  ${fitStart('at', TIME_WIDTH)}${fitStart('prompt', barWidth)}${fitEnd('hit', HIT_WIDTH)}`,
          role: 'faint',
        },
      ],
      ...lines,
    ],
    focus: 3 + rows.findIndex((row) => 'call' in row && row.call.id === chosen),
    hints: '↑↓ choose  ⏎ open  n next loss  esc back  ? keys  q quit',
  };
}

function callLine(
  call: ReportedCall,
  isChosen: boolean,
  callsByIndex: ReadonlyMap<number, ReportedCall>,
  bar: Line,
  barWidth: number,
): Line {
  const { input, cacheRead } = call.tokens;
  const role = isChosen ? 'title' : 'plain';
  return [
    { text: isChosen ? SHAPES.selected : ' ', role: 'accent' },
    { text: `${fitEnd(String(call.turn), 3)}  ${fitStart(formatTimeOfDay(call.at), TIME_WIDTH)}`, role },
    ...fitLine(bar, barWidth),
    {
      text: fitEnd(formatShare(cacheRead === null || input === 0 ? null : cacheRead / input), HIT_WIDTH),
      role,
    },
    ...remark(call, callsByIndex),
  ];
}

function remark(call: ReportedCall, callsByIndex: ReadonlyMap<number, ReportedCall>): Line {
  const cause = causeOf(call);
  const usd = call.cost?.rebilledUsd ?? null;
  const cost = usd === null || usd === 0 ? '' : ` ${formatUsd(usd)}`;
  switch (categoryOf(call)) {
    case 'fault':
      return [{ text: `  ${cause}`, role: 'break' }, { text: cost }];
    case 'circumstance': {
      const idleMs = call.miss === 'ttl_expired' ? idleBeforeMs(call, callsByIndex) : null;
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

type Row = { readonly call: ReportedCall } | { readonly others: readonly ReportedCall[] };

/** Calls of other lineages in the same thread: side calls and sub-agents, shown where they fell, in one line a run. */
function othersOfThread(shown: readonly ReportedCall[], first: ReportedCall): readonly ReportedCall[] {
  const { thread } = first.scope;
  return thread === null
    ? []
    : shown.filter((call) => call.scope.thread === thread && call.lineage !== first.lineage);
}

function withOthers(calls: readonly ReportedCall[], others: readonly ReportedCall[]): Row[] {
  const rows: Row[] = [];
  let next = 0;
  for (const [position, call] of calls.entries()) {
    const run: ReportedCall[] = [];
    for (let other = others[next]; other !== undefined && isBefore(other, call); other = others[next]) {
      next += 1;
      if (position > 0) run.push(other);
    }
    if (run.length > 0) rows.push({ others: run });
    rows.push({ call });
  }
  return rows;
}

function isBefore(left: ReportedCall, right: ReportedCall): boolean {
  return left.at !== null && right.at !== null && left.at < right.at;
}

function othersLine(others: readonly ReportedCall[]): Line {
  const phases = [...new Set(others.map((call) => call.scope.phase ?? call.lineage))].join(', ');
  const at = formatTimeOfDay(others[0]?.at ?? null);
  return [
    {
      text: ` ${fitEnd('┆', 3)}  ${fitStart(at, TIME_WIDTH)}┊ ${countOf(others.length, 'call')} of ${phases}`,
      role: 'faint',
    },
  ];
}
