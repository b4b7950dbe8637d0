/** The head of the overview: what to fix first, then the hit rate and the cost, each with what it could be. */
import { fixFirst } from '../summary/group-row.ts';
import { hitRateHistory, sparkline } from '../summary/hit-rate-history.ts';
import { hasNoCostlyChange } from '../summary/summary.ts';
import { possibleUsd, type Totals } from '../summary/totals.ts';
import { formatMeasure, formatShare, formatTokens, formatUsd } from '../terminal/format.ts';
import { fitEnd, fitStart, truncate, widthOf, wrap } from '../terminal/terminal-text.ts';
import { runsOf } from './call-bar.ts';
import type { Line, Piece, Size } from './frame.ts';
import { remembered } from './remembered.ts';
import { historyIn } from './server-state.ts';
import type { ViewerState } from './state.ts';
import { type Role, SHAPES } from './theme.ts';

const LABEL_WIDTH = 12;
export const HISTORY_WIDTH = 24;

export function fixLines({ summary }: ViewerState, size: Size): Line[] {
  const { totals } = summary;
  const fix = fixFirst(summary.faults, {
    usd: formatMeasure(totals.avoidableUsd, formatUsd),
    tokens: formatMeasure(totals.avoidableTokens, formatTokens),
  });
  if (fix === null) {
    const nothing = hasNoCostlyChange(summary)
      ? 'nothing: no change to a prompt cost anything'
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

export function figureLines({ shown, summary, server }: ViewerState, size: Size): Line[] {
  const { totals } = summary;
  const width = Math.max(8, Math.min(HISTORY_WIDTH, size.columns - 56));
  const possible = possibleUsd(totals);
  const isLossy = (totals.avoidableTokens.value ?? 0) > 0;
  return [
    [
      label('Hit rate'),
      {
        text: fitStart(
          sparkline(server === null ? history(shown, width) : historyIn(server.history, width)),
          width,
        ),
        role: 'read',
      },
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

const history = remembered(hitRateHistory);

function label(text: string): Piece {
  return { text: ` ${text.padEnd(LABEL_WIDTH)}`, role: 'faint' };
}
