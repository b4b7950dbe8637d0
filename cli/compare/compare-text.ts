/** `prefixtrace compare` for a person: the two arms figure by figure, what is shown by them and what is not. */
import { phraseFor } from '../summary/phrases.ts';
import { countOf, formatCount, formatShare, formatTokens, formatUsd } from '../terminal/format.ts';
import type { Style } from '../terminal/style.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { widthOf, wrap } from '../terminal/terminal-text.ts';
import type { Arm, ArmFinding, ComparedFigure, Comparison } from './comparison.ts';
import type { FigureName } from './run-figures.ts';
import type { Spread } from './spread.ts';

export interface CompareTextOptions {
  readonly style: Style;
  readonly columns: number;
}

const TITLES: Readonly<Record<FigureName, string>> = {
  calls: 'Calls',
  input: 'Input tokens',
  read: 'Read from cache',
  written: 'Written to cache',
  output: 'Output tokens',
  hitRate: 'Share read',
  usd: 'Cost',
  rebilled: 'Billed again',
  rebilledUsd: 'Cost of that',
  findings: 'Findings',
};

export function compareText(comparison: Comparison, options: CompareTextOptions): string {
  const sections = [
    heading(comparison, options.style),
    table(comparison, options),
    findings('Findings only in A', comparison.findingsOnlyInA, comparison.a, options),
    findings('Findings only in B', comparison.findingsOnlyInB, comparison.b, options),
    remarks(comparison, options),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function heading({ a, b }: Comparison, style: Style): string[] {
  const line = (letter: string, { name, runs }: Arm) =>
    `  ${style.strong(letter)}  ${name}  ${style.faint(countOf(runs.length, 'run'))}`;
  return [style.strong('prefixtrace compare'), line('A', a), line('B', b)];
}

const COLUMNS: readonly Column[] = [
  { title: 'Median', align: 'start' },
  { title: 'A', align: 'end' },
  { title: '(range)', align: 'start' },
  { title: 'B', align: 'end' },
  { title: '(range)', align: 'start' },
  { title: 'B − A', align: 'start' },
];

function table({ figures }: Comparison, { style, columns }: CompareTextOptions): string[] {
  const rows = figures.map((figure) => {
    const { name, a, b } = figure;
    return [
      `  ${TITLES[name]}`,
      middle(name, a),
      range(name, a),
      middle(name, b),
      range(name, b),
      outcome(figure),
    ];
  });
  const hasRanges = rows.some((row) => row[2] !== '' || row[4] !== '');
  const wide = tableLines(COLUMNS, rows, Number.POSITIVE_INFINITY);
  const [head = '', ...lines] =
    hasRanges && wide.every((line) => widthOf(line) <= columns) ? wide : withoutRanges(rows, columns);
  return [style.accent(head), ...lines];
}

/** A narrow terminal has no room for them. */
function withoutRanges(rows: readonly (readonly string[])[], columns: number): string[] {
  const isKept = (_: unknown, index: number) => index !== 2 && index !== 4;
  return tableLines(
    COLUMNS.filter(isKept),
    rows.map((row) => row.filter(isKept)),
    columns,
  );
}

/** A difference that is not shown is not printed either: a figure would be taken for one. */
function outcome({ name, a, b, difference, shown }: ComparedFigure): string {
  if (difference === null || shown === 'unknown') return 'unknown';
  if (shown === 'overlap') return 'no difference shown';
  // Of the others the figure is unknown.
  if (shown === 'one_run' && (a?.leftOut || b?.leftOut)) return 'one run only';
  const share =
    name === 'hitRate' || !a || a.median === 0 || difference === 0
      ? ''
      : ` (${signOf(difference)}${Math.abs(Math.round((difference / a.median) * 100))} %)`;
  return `${signed(name, difference)}${share}`;
}

function middle(name: FigureName, spread: Spread | null): string {
  return spread === null ? '–' : `${spread.isEstimated ? '~' : ''}${format(name, spread.median)}`;
}

function range(name: FigureName, spread: Spread | null): string {
  if (spread === null || spread.runs === 1) return '';
  const [least, most] = [format(name, spread.min), format(name, spread.max)];
  return least === most ? '(all)' : `(${least}–${most})`;
}

function signed(name: FigureName, difference: number): string {
  if (name === 'hitRate') return `${signOf(difference)}${Math.abs(difference * 100).toFixed(1)} points`;
  return `${signOf(difference)}${format(name, Math.abs(difference))}`;
}

function signOf(difference: number): string {
  return difference > 0 ? '+' : difference < 0 ? '−' : '';
}

function format(name: FigureName, value: number): string {
  if (name === 'usd' || name === 'rebilledUsd') return formatUsd(value);
  if (name === 'hitRate') return formatShare(value);
  return Number.isInteger(value) ? formatTokens(value) : formatCount(value);
}

function findings(
  title: string,
  found: readonly ArmFinding[],
  { runs: all }: Arm,
  { style }: CompareTextOptions,
): string[] {
  if (found.length === 0) return [];
  return [
    style.accent(title),
    ...found.map(
      ({ cause, runs, calls }) =>
        `  ${cause}  ${style.faint(`${phraseFor(cause)}: ${countOf(calls, 'call')} in ${runs} of ${countOf(all.length, 'run')}`)}`,
    ),
  ];
}

function remarks(comparison: Comparison, { style, columns }: CompareTextOptions): string[] {
  return [chance(comparison), leftOut(comparison), unread(comparison)]
    .filter((text) => text !== '')
    .flatMap((text) => wrap(text, columns))
    .map(style.faint);
}

function chance({ a, b, figures, chanceOfApart }: Comparison): string {
  if (a.runs.length === 1 || b.runs.length === 1)
    return 'One run shows no spread, so each difference may be chance: record several runs of both arms.';
  const note = figures.some(({ shown }) => shown === 'overlap')
    ? 'Where the ranges overlap no difference is shown. '
    : '';
  return `${note}With ${a.runs.length} and ${b.runs.length} runs chance alone parts the ranges of about one figure in ${formatCount(1 / chanceOfApart)}.`;
}

function leftOut({ figures }: Comparison): string {
  const parts = figures.flatMap(({ name, a, b }) =>
    [a, b].flatMap((spread, index) => {
      const arm = index === 0 ? 'A' : 'B';
      if (spread === null) return [`${TITLES[name]} of every run of ${arm}`];
      return spread.leftOut === 0 ? [] : [`${TITLES[name]} of ${countOf(spread.leftOut, 'run')} of ${arm}`];
    }),
  );
  return parts.length === 0
    ? ''
    : `Unknown and left out, as a call does not report it or has no price: ${parts.join('; ')}.`;
}

function unread({ a, b }: Comparison): string {
  const count = [...a.runs, ...b.runs].filter(({ unreadParts }) => unreadParts > 0).length;
  return count === 0
    ? ''
    : `${countOf(count, 'run')} held lines or calls that could not be read: the sums are too low by them.`;
}
