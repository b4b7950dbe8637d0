/** All lineages: who spoke, how much, how well the cache held, and until when it does. */

import type { LineageSummary } from '../summary/summary.ts';
import {
  countOf,
  formatCount,
  formatMeasure,
  formatShare,
  formatTimeOfDay,
  formatTokens,
  formatUsd,
} from '../terminal/format.ts';
import { fitEnd, fitStart, truncateStart, widthOf } from '../terminal/terminal-text.ts';
import { filterHint } from './filter-hint.ts';
import type { Line, ScreenContent, Size } from './frame.ts';
import type { LineageOrder } from './lineage-order.ts';
import { lineagesOf, selectedRow, type ViewerState } from './state.ts';
import { SHAPES } from './theme.ts';

/** Below this a model's name says nothing. */
const LEAST_MODEL_WIDTH = 10;

interface Figure {
  readonly order: LineageOrder | null;
  readonly title: string;
  readonly width: number;
  /** Columns that a terminal must have before it is shown: the name matters more. */
  readonly from: number;
  readonly of: (lineage: LineageSummary) => string;
}

const FIGURES: readonly Figure[] = [
  { order: 'calls', title: 'calls', width: 7, from: 0, of: ({ totals }) => String(totals.calls) },
  {
    order: null,
    title: 'input',
    width: 12,
    from: 110,
    of: ({ totals }) => formatMeasure(totals.inputTokens, formatTokens),
  },
  { order: 'hit', title: 'hit', width: 7, from: 0, of: ({ totals }) => formatShare(totals.hitRate) },
  {
    order: 'rebilled',
    title: 'rebilled',
    width: 11,
    from: 72,
    of: ({ totals }) =>
      totals.rebilledTokens.value === 0 ? '' : formatMeasure(totals.rebilledTokens, formatTokens),
  },
  {
    order: 'avoidable',
    title: 'avoidable',
    width: 11,
    from: 80,
    of: ({ totals }) =>
      (totals.avoidableTokens.value ?? 0) > 0 ? formatMeasure(totals.avoidableUsd, formatUsd) : '',
  },
  {
    order: 'cost',
    title: 'cost',
    width: 10,
    from: 0,
    of: ({ totals }) => formatMeasure(totals.usd, formatUsd),
  },
  {
    order: 'seen',
    title: 'seen',
    width: 10,
    from: 100,
    of: ({ lastAt }) => formatTimeOfDay(lastAt),
  },
  { order: null, title: 'warm until', width: 12, from: 120, of: warmUntil },
];

export function lineagesScreen(state: ViewerState, size: Size): ScreenContent {
  const lineages = lineagesOf(state);
  const { by, isReversed } = state.sort;
  const chosen = selectedRow(state);
  const figures = FIGURES.filter(({ from }) => size.columns >= from);
  const room = size.columns - figures.reduce((sum, { width }) => sum + width, 0) - 2;
  const arrow = isReversed ? '↑' : '↓';
  const titles = figures.map(({ title, width, order }) =>
    fitEnd(order === by ? `${arrow}${title}` : title, width),
  );
  const head: Line = [
    {
      text: ` ${fitStart(by === 'name' ? `${arrow}Lineage` : 'Lineage', room)}${titles.join('')}`,
      role: 'faint',
    },
  ];
  return {
    title: [
      { text: 'Lineages', role: 'title' },
      { text: `  by ${by}`, role: 'faint' },
    ],
    status: [{ text: extentOf(state, lineages.length), role: 'faint' }],
    body: {
      length: lineages.length + 1,
      lineAt: (row) => {
        const lineage = lineages[row - 1];
        return lineage === undefined ? head : lineageLine(lineage, row - 1 === chosen, room, figures);
      },
    },
    focus: chosen + 1,
    hints: `↑↓ choose  ⏎ timeline  s sort  r reverse  F floor  ${filterHint(state)}esc back  ? keys`,
  };
}

function extentOf({ summary: { totals } }: ViewerState, held: number): string {
  const all = countOf(totals.lineages, 'lineage');
  return held < totals.lineages ? `${formatCount(held)} of ${all}` : all;
}

function lineageLine(
  lineage: LineageSummary,
  isChosen: boolean,
  room: number,
  figures: readonly Figure[],
): Line {
  const { words, models } = lineage;
  // Sub-agents of one thread differ at the end of their name.
  const name = truncateStart(words, room - 1);
  const besides = room - widthOf(name);
  return [
    { text: isChosen ? SHAPES.selected : ' ', role: 'accent' },
    { text: name, role: isChosen ? 'title' : 'plain' },
    { text: fitStart(besides >= LEAST_MODEL_WIDTH ? `  ${models.join(', ')}` : '', besides), role: 'faint' },
    {
      text: figures.map(({ of, width }) => fitEnd(of(lineage), width)).join(''),
      role: isChosen ? 'title' : 'plain',
    },
  ];
}

/** A lifetime counts from the start of the call that used the entry last. */
function warmUntil({ lastAt, lifetimeMs }: LineageSummary): string {
  const fromMs = lastAt === null ? Number.NaN : Date.parse(lastAt);
  return formatTimeOfDay(
    Number.isNaN(fromMs) || lifetimeMs === null ? null : new Date(fromMs + lifetimeMs).toISOString(),
  );
}
