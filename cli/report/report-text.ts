/** `prefixtrace report` for a terminal or a log: what it cost, what it could have cost, and what to fix first. */
import { fixFirst, groupRow } from '../summary/group-row.ts';
import { hasEveryPrefixHeld, type Summary } from '../summary/summary.ts';
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
import { truncate, widthOf, wrap } from '../terminal/terminal-text.ts';
import { overviewFacts } from './overview-facts.ts';

export interface ReportTextOptions {
  readonly title: string;
  readonly style: Style;
  readonly columns: number;
}

export function reportText(summary: Summary, options: ReportTextOptions): string {
  const sections = [
    heading(summary, options),
    overview(summary, options),
    first(summary, options),
    ...groupSections(summary, options),
    phases(summary, options),
    closing(summary, options.style),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function heading({ totals }: Summary, { title, style, columns }: ReportTextOptions): string[] {
  const left = `prefixtrace  ${title}`;
  const span = totals.spanMs === null ? '' : `${formatDuration(totals.spanMs)} · `;
  const right = `${span}${countOf(totals.lineages, 'lineage')} · ${countOf(totals.calls, 'call')}`;
  const gap = Math.max(2, columns - widthOf(left) - widthOf(right));
  return [`${style.strong('prefixtrace')}  ${title}${' '.repeat(gap)}${style.faint(right)}`];
}

function overview(summary: Summary, { style, columns }: ReportTextOptions): string[] {
  const facts = overviewFacts(summary.totals);
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

const COLUMNS: readonly Column[] = [
  { title: '', align: 'start', shrinks: true },
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
    return [`${style.accent(title)}${head.slice(title.length)}`, ...body];
  };
  return [
    section('Findings', 0, faults.length, true),
    section('Not the prompt', faults.length, circumstances.length, false),
    section('Meant', faults.length + circumstances.length, declared.length, false),
  ];
}

function adviceLines(advice: string | null, columns: number, indent = 2): string[] {
  if (advice === null) return [];
  return wrap(advice, columns - indent - 2).map(
    (line, row) => `${' '.repeat(indent)}${row === 0 ? '→ ' : '  '}${line}`,
  );
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

function closing(summary: Summary, style: Style): string[] {
  const { totals } = summary;
  const lines = hasEveryPrefixHeld(summary) ? [style.good('No finding: every prompt kept its prefix.')] : [];
  if (totals.priceDates.length > 0) lines.push(style.faint(`Prices of ${totals.priceDates.join(', ')}.`));
  return lines;
}
