/** Any two calls side by side: what differs is marked. */
import { causeOf } from '../summary/classify.ts';
import { scopeInWords } from '../summary/explain.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { formatDuration, formatShare, formatTimeOfDay, formatTokens, formatUsd } from '../terminal/format.ts';
import { fitStart, truncateStart } from '../terminal/terminal-text.ts';
import { callBar, LEGEND } from './call-bar.ts';
import { fitLine, type Line, type ScreenContent, type Size } from './frame.ts';
import { goneScreen } from './gone-screen.ts';
import { promptStrip } from './prompt-strip.ts';
import { callById, type ViewerState } from './state.ts';

const NAME_WIDTH = 12;
const HINTS = '↑↓ scroll  t timeline  y copy  esc back  ? keys  q quit';

interface Figure {
  readonly name: string;
  readonly of: (call: ReportedCall) => string;
  /** Differs between any two calls, so a mark would say nothing. */
  readonly isOwn?: true;
}

const FIGURES: readonly Figure[] = [
  { name: 'lineage', of: scopeInWords },
  { name: 'call', of: ({ turn }) => String(turn), isOwn: true },
  { name: 'at', of: ({ at }) => formatTimeOfDay(at), isOwn: true },
  { name: 'took', of: ({ durationMs }) => formatDuration(durationMs), isOwn: true },
  { name: 'model', of: ({ model }) => model ?? '–' },
  { name: 'input', of: ({ tokens }) => formatTokens(tokens.input) },
  ...(['tools', 'system', 'messages'] as const).map((component) => ({
    name: `  ${component}`,
    of: (call: ReportedCall) => formatTokens(tokensOf(call, component)),
  })),
  { name: 'read', of: ({ tokens }) => formatTokens(tokens.cacheRead) },
  { name: 'written', of: ({ tokens }) => formatTokens(tokens.cacheWrite) },
  { name: 'uncached', of: ({ tokens }) => formatTokens(tokens.uncached) },
  {
    name: 'hit',
    of: ({ tokens: { input, cacheRead } }) =>
      formatShare(cacheRead === null || input === 0 ? null : cacheRead / input),
  },
  { name: 'rebilled', of: ({ tokens }) => formatTokens(tokens.rebilled) },
  { name: 'cost', of: ({ cost }) => formatUsd(cost?.usd ?? null) },
  { name: 'cause', of: (call) => causeOf(call) ?? 'none' },
  { name: 'place', of: ({ divergence }) => divergence?.path ?? '–' },
];

export function compareScreen(
  state: ViewerState,
  ids: { readonly beforeId: string; readonly afterId: string; readonly scroll: number },
  size: Size,
): ScreenContent {
  const before = callById(state, ids.beforeId);
  const after = callById(state, ids.afterId);
  if (before === undefined || after === undefined) return goneScreen();
  return {
    title: [{ text: `call ${before.turn} beside call ${after.turn}`, role: 'title' }],
    status: [{ text: '≠ differs', role: 'faint' }],
    body: [
      ...figureLines(before, after, size),
      [],
      ...barLines([before, after], size),
      ...stripLines([before, after], size),
    ],
    focus: null,
    scroll: ids.scroll,
    hints: HINTS,
  };
}

function figureLines(before: ReportedCall, after: ReportedCall, size: Size): Line[] {
  const width = Math.min(44, Math.floor((size.columns - NAME_WIDTH - 4) / 2));
  return FIGURES.map(({ name, of, isOwn }): Line => {
    const right = truncateStart(of(after), width);
    const differs = of(before) !== of(after) && !isOwn;
    return [
      { text: differs ? '≠' : ' ', role: 'break' },
      { text: ` ${fitStart(name, NAME_WIDTH)}`, role: 'faint' },
      { text: `${fitStart(truncateStart(of(before), width), width)}  ` },
      { text: right, role: differs ? 'title' : 'plain' },
    ];
  });
}

function barLines(calls: readonly ReportedCall[], size: Size): Line[] {
  const longest = Math.max(1, ...calls.map(({ tokens }) => tokens.input));
  const width = size.columns - NAME_WIDTH - 3;
  return [
    ...calls.map(
      (call): Line => [
        { text: `  ${fitStart(`call ${call.turn}`, NAME_WIDTH)}`, role: 'faint' },
        ...fitLine(callBar(call, longest, width), width),
      ],
    ),
    [{ text: ' '.repeat(NAME_WIDTH + 2) }, ...LEGEND],
  ];
}

/** The prompts in render order, each to its own scale. */
function stripLines(calls: readonly ReportedCall[], size: Size): Line[] {
  const width = size.columns - NAME_WIDTH - 3;
  return calls.flatMap((call): Line[] => {
    const strip = promptStrip(call, width);
    if (strip === null) return [];
    const name = { text: `  ${fitStart(`call ${call.turn}`, NAME_WIDTH)}`, role: 'faint' } as const;
    return [[], [{ text: ' '.repeat(NAME_WIDTH + 2) }, ...strip.names], [name, ...strip.cells]];
  });
}

function tokensOf({ layout }: ReportedCall, component: string): number | null {
  const runs = layout.filter((run) => run.component === component);
  return layout.length === 0 ? null : runs.reduce((sum, run) => sum + run.tokens, 0);
}
