/** `prefixtrace report` for a terminal or a log: what it cost, what it could have cost, and what to fix first. */
import { fullnessHistory, type WindowUse } from '../summary/context-window.ts';
import { fixFirst, groupRow } from '../summary/group-row.ts';
import { sparkline } from '../summary/hit-rate-history.ts';
import { hasNoCostlyChange, type Summary } from '../summary/summary.ts';
import { possibleUsd } from '../summary/totals.ts';
import {
  countOf,
  formatDuration,
  formatMeasure,
  formatShare,
  formatTokens,
  formatUsd,
} from '../terminal/format.ts';
import type { Style } from '../terminal/style.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { truncate, truncateStart, widthOf, wrap } from '../terminal/terminal-text.ts';
import { noFindingInWords, overviewFacts } from './overview-facts.ts';
import type { Report } from './report.ts';
import { cutsInWords, cutWords, MOST_CUTS, MOST_WINDOWS, shownWindows, windowWords } from './window-words.ts';

export interface ReportTextOptions {
  readonly style: Style;
  readonly columns: number;
}

export function reportText(report: Report, options: ReportTextOptions): string {
  const { summary } = report;
  const sections = [
    heading(report, options),
    overview(report, options),
    first(summary, options),
    ...groupSections(summary, options),
    contextWindow(report.windows, options),
    phases(summary, options),
    notSeen(report, options),
    closing(summary, options.style),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function heading({ title, summary: { totals } }: Report, { style, columns }: ReportTextOptions): string[] {
  const left = `prefixtrace  ${title}`;
  const span = totals.spanMs === null ? '' : `${formatDuration(totals.spanMs)} · `;
  const right = `${span}${countOf(totals.lineages, 'lineage')} · ${countOf(totals.calls, 'call')}`;
  const gap = Math.max(2, columns - widthOf(left) - widthOf(right));
  return [`${style.strong('prefixtrace')}  ${title}${' '.repeat(gap)}${style.faint(right)}`];
}

function overview(report: Report, { style, columns }: ReportTextOptions): string[] {
  const facts = overviewFacts(report);
  const nameWidth = Math.max(...facts.map(({ name }) => widthOf(name)));
  const valueWidth = Math.max(...facts.map(({ value }) => widthOf(value)));
  const room = columns - nameWidth - valueWidth - 7;
  return facts.map(({ name, value, remark }) => {
    const figure = `  ${name.padEnd(nameWidth)}  ${value.padStart(valueWidth)}`;
    return remark === '' ? figure : `${figure}   ${style.faint(truncate(remark, room))}`;
  });
}

function first({ faults, totals }: Summary, { style, columns }: ReportTextOptions): string[] {
  const fix = fixFirst(faults, {
    usd: formatMeasure(totals.avoidableUsd, formatUsd),
    tokens: formatMeasure(totals.avoidableTokens, formatTokens),
  });
  if (fix === null) return [];
  return [
    style.accent('Fix first'),
    ...wrap(`${fix.phrase}: ${fix.gain}`, columns - 2).map((line) => `  ${style.strong(line)}`),
    ...wrap(`${fix.place}, ${fix.extent}`, columns - 2).map((line) => `  ${line}`),
    ...adviceLines(fix.advice, columns),
  ];
}

const TITLES = { faults: 'Findings', circumstances: 'Not the prompt', declared: 'Meant' };
const LONGEST_TITLE = TITLES.circumstances;

const COLUMNS: readonly Column[] = [
  { title: LONGEST_TITLE, align: 'start', shrinks: true },
  { title: '', align: 'start', shrinks: true },
  { title: 'calls', align: 'end' },
  { title: 'tokens', align: 'end' },
  { title: 'cost', align: 'end' },
];

/** The three lists are one table, so that figures stand below figures; each has its own title line. */
function groupSections({ faults, circumstances, declared }: Summary, options: ReportTextOptions): string[][] {
  const { style, columns } = options;
  const rows = [...faults, ...circumstances, ...declared].map(groupRow);
  const cells = rows.map((row) => [`  ${row.cause}`, row.place, row.calls, row.tokens, row.usd]);
  const [head = '', ...lines] = tableLines(COLUMNS, cells, columns);
  const section = (title: string, from: number, count: number, hasAdvice: boolean): string[] => {
    if (count === 0) return [];
    const body = rows.slice(from, from + count).flatMap(({ advice }, index) => {
      const advised = hasAdvice ? adviceLines(advice, columns, 4).map(style.faint) : [];
      return [lines[from + index] ?? '', ...advised];
    });
    const figures = head.slice(LONGEST_TITLE.length);
    return [`${style.accent(title)}${' '.repeat(LONGEST_TITLE.length - title.length)}${figures}`, ...body];
  };
  return [
    section(TITLES.faults, 0, faults.length, true),
    section(TITLES.circumstances, faults.length, circumstances.length, false),
    section(TITLES.declared, faults.length + circumstances.length, declared.length, false),
  ];
}

function adviceLines(advice: string | null, columns: number, indent = 2): string[] {
  if (advice === null) return [];
  return wrap(advice, columns - indent - 2).map(
    (line, row) => `${' '.repeat(indent)}${row === 0 ? '→ ' : '  '}${line}`,
  );
}

const WINDOW_COLUMNS: readonly Column[] = [
  { title: 'Context window', align: 'start', shrinks: true },
  { title: '', align: 'start' },
  { title: 'calls', align: 'end' },
  { title: 'longest', align: 'end' },
  { title: 'window', align: 'end' },
  { title: 'full', align: 'end' },
];
const FULLNESS_STEPS = 12;
/** What the other columns take at most. */
const WINDOW_FIGURES_WIDTH = 54;

function contextWindow(windows: readonly WindowUse[], { columns, style }: ReportTextOptions): string[] {
  const uses = shownWindows(windows);
  if (uses.length === 0) return [];
  const shown = uses.slice(0, MOST_WINDOWS);
  const rows = shown.map((use) => {
    const { name, calls, tokens, window, fullest } = windowWords(use);
    // Sub-agents of one thread differ at the end of their name.
    const shortName = truncateStart(name, Math.max(20, columns - WINDOW_FIGURES_WIDTH));
    return [
      `  ${shortName}`,
      sparkline(fullnessHistory(use, FULLNESS_STEPS)),
      calls,
      tokens,
      window,
      fullest,
    ];
  });
  const [head = '', ...lines] = tableLines(WINDOW_COLUMNS, rows, columns);
  const more = uses.length - shown.length;
  return [
    head.replace('Context window', style.accent('Context window')),
    ...shown.flatMap((use, index) => [
      lines[index] ?? '',
      ...cutLines(use).flatMap((line) => paragraph(line, columns, '    ').map(style.faint)),
    ]),
    ...(more > 0 ? [style.faint(`  … ${countOf(more, 'more lineage')}`)] : []),
    ...cutsInWords(uses).flatMap((line) => paragraph(line, columns, '  ')),
  ];
}

function cutLines({ cuts }: WindowUse): string[] {
  const shown = cuts.slice(0, MOST_CUTS).map((cut) => {
    const { what, fullness, rebilled, verdict } = cutWords(cut);
    return `${what} when ${fullness}; ${rebilled}; ${verdict}`;
  });
  const more = cuts.length - shown.length;
  return more > 0 ? [...shown, `… ${countOf(more, 'more cut')}`] : shown;
}

function paragraph(text: string, columns: number, indent: string): string[] {
  return wrap(text, columns - indent.length).map((line) => indent + line);
}

const PHASE_COLUMNS: readonly Column[] = [
  { title: 'By phase', align: 'start', shrinks: true },
  { title: 'calls', align: 'end' },
  { title: 'input', align: 'end' },
  { title: 'read', align: 'end' },
  { title: 'cost', align: 'end' },
  { title: 'could be', align: 'end' },
];

function phases({ phases: parts }: Summary, { columns, style }: ReportTextOptions): string[] {
  if (parts.length < 2) return [];
  const rows = parts.map(({ name, totals }) => [
    `  ${name ?? '(none named)'}`,
    String(totals.calls),
    formatMeasure(totals.inputTokens, formatTokens),
    formatShare(totals.hitRate),
    formatMeasure(totals.usd, formatUsd),
    formatUsd(possibleUsd(totals)),
  ]);
  const [head = '', ...lines] = tableLines(PHASE_COLUMNS, rows, columns);
  return [head.replace('By phase', style.accent('By phase')), ...lines];
}

function notSeen({ unseen }: Report, { columns, style }: ReportTextOptions): string[] {
  if (unseen.length === 0) return [];
  return [style.accent('Not seen'), ...unseen.flatMap(({ text }) => paragraph(text, columns, '  '))];
}

function closing(summary: Summary, style: Style): string[] {
  const { totals } = summary;
  const verdict = noFindingInWords(summary);
  const lines = verdict === null ? [] : [hasNoCostlyChange(summary) ? style.good(verdict) : verdict];
  if (totals.priceDates.length > 0) lines.push(style.faint(`Prices of ${totals.priceDates.join(', ')}.`));
  return lines;
}
