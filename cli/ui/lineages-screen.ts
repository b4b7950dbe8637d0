/** All lineages: who spoke, how much, how well the cache held. */
import { scopeInWords } from '../summary/explain.ts';
import type { LineageSummary } from '../summary/summary.ts';
import { countOf, formatMeasure, formatShare, formatTokens, formatUsd } from '../terminal/format.ts';
import { fitEnd, fitStart, truncateStart, widthOf } from '../terminal/terminal-text.ts';
import type { Line, ScreenContent, Size } from './frame.ts';
import { selectedRow, type ViewerState } from './state.ts';
import { SHAPES } from './theme.ts';

/** Below this a model's name says nothing. */
const LEAST_MODEL_WIDTH = 10;

interface Figure {
  readonly title: string;
  readonly width: number;
  /** Left out where the terminal is narrow: the name matters more. */
  readonly isSpare?: boolean;
  readonly of: (lineage: LineageSummary) => string;
}

const FIGURES: readonly Figure[] = [
  { title: 'calls', width: 7, of: ({ calls }) => String(calls.length) },
  {
    title: 'input',
    width: 12,
    isSpare: true,
    of: ({ totals }) => formatMeasure(totals.inputTokens, formatTokens),
  },
  { title: 'hit', width: 8, of: ({ totals }) => formatShare(totals.hitRate) },
  {
    title: 'avoidable',
    width: 10,
    isSpare: true,
    of: ({ totals }) =>
      (totals.avoidableTokens.value ?? 0) > 0 ? formatMeasure(totals.avoidableUsd, formatUsd) : '',
  },
  { title: 'cost', width: 10, of: ({ totals }) => formatMeasure(totals.usd, formatUsd) },
];
const NARROW_COLUMNS = 70;

export function lineagesScreen(state: ViewerState, size: Size): ScreenContent {
  const { lineages } = state.summary;
  const chosen = selectedRow(state);
  const figures = FIGURES.filter(({ isSpare }) => !isSpare || size.columns >= NARROW_COLUMNS);
  const room = size.columns - figures.reduce((sum, { width }) => sum + width, 0) - 2;
  const titles = figures.map(({ title, width }) => fitEnd(title, width)).join('');
  const head: Line = [{ text: ` ${fitStart('Lineage', room)}${titles}`, role: 'faint' }];
  return {
    title: [{ text: 'Lineages', role: 'title' }],
    status: [{ text: countOf(lineages.length, 'lineage'), role: 'faint' }],
    body: [head, ...lineages.map((lineage, row) => lineageLine(lineage, row === chosen, room, figures))],
    focus: chosen + 1,
    hints: '↑↓ choose  ⏎ timeline  / filter  esc back  ? keys  q quit',
  };
}

function lineageLine(
  lineage: LineageSummary,
  isChosen: boolean,
  room: number,
  figures: readonly Figure[],
): Line {
  const { calls } = lineage;
  const [first] = calls;
  const models = [...new Set(calls.map(({ model }) => model ?? 'unknown model'))];
  // Sub-agents of one thread differ at the end of their name.
  const name = truncateStart(first ? scopeInWords(first) : '', room - 1);
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
