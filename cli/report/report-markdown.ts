/** The report for a pull request or a job summary. Excerpts never enter it: it goes where others read. */
import type { WindowUse } from '../summary/context-window.ts';
import { fixFirst, groupRow } from '../summary/group-row.ts';
import type { CauseGroup } from '../summary/groups.ts';
import type { Summary } from '../summary/summary.ts';
import { possibleUsd } from '../summary/totals.ts';
import { countOf, formatMeasure, formatShare, formatTokens, formatUsd } from '../terminal/format.ts';
import { noFindingInWords, overviewFacts } from './overview-facts.ts';
import type { Report } from './report.ts';
import { cutsInWords, cutWords, MOST_CUTS, MOST_WINDOWS, shownWindows, windowWords } from './window-words.ts';

export function reportMarkdown(report: Report): string {
  const { summary, title } = report;
  const sections = [
    [`## Prompt cache: ${inline(title)}`],
    table(
      ['', '', ''],
      overviewFacts(report).map(({ name, value, remark }) => [name, value, inline(remark)]),
      [1],
    ),
    first(summary),
    groups('Findings', summary.faults, true),
    groups('Not the prompt', summary.circumstances, true),
    groups('Meant', summary.declared, false),
    ...contextWindow(report.windows),
    phases(summary),
    notSeen(report),
    [noFindingInWords(summary)].filter((line) => line !== null),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function first({ faults, totals }: Summary): string[] {
  const fix = fixFirst(faults, {
    usd: formatMeasure(totals.avoidableUsd, formatUsd),
    tokens: formatMeasure(totals.avoidableTokens, formatTokens),
  });
  if (fix === null) return [];
  const advice = fix.advice === null ? '' : ` ${inline(fix.advice)}`;
  return [
    `**Fix first: ${inline(fix.phrase)}** (${fix.gain}; ${inline(fix.place)}; ${inline(fix.extent)}).${advice}`,
  ];
}

function groups(title: string, list: readonly CauseGroup[], hasAdvice: boolean): string[] {
  if (list.length === 0) return [];
  const head = [
    'cause',
    'where',
    'calls',
    'tokens billed again',
    'cost',
    ...(hasAdvice ? ['what to do'] : []),
  ];
  const rows = list
    .map(groupRow)
    .map((row) => [
      code(row.cause),
      inline(row.place),
      row.calls,
      row.tokens,
      row.usd,
      ...(hasAdvice ? [inline(row.advice ?? '')] : []),
    ]);
  return [`### ${title}`, '', ...table(head, rows, [2, 3, 4])];
}

/** Two tables and a paragraph, each its own section: Markdown wants a blank line between them. */
function contextWindow(windows: readonly WindowUse[]): string[][] {
  const uses = shownWindows(windows);
  if (uses.length === 0) return [];
  const shown = uses.slice(0, MOST_WINDOWS);
  const rows = shown
    .map(windowWords)
    .map((use) => [inline(use.name), use.calls, inline(use.tokens), use.window, inline(use.fullest)]);
  const cuts = shown.flatMap((use) =>
    use.cuts.slice(0, MOST_CUTS).map((cut) => [inline(windowWords(use).name), ...cutCells(cut)]),
  );
  const more = uses.length - shown.length;
  return [
    [
      '### Context window',
      '',
      ...table(['lineage', 'calls', 'longest prompt', 'window', 'fullest'], rows, [1, 2, 3, 4]),
      ...(more > 0 ? ['', `… ${countOf(more, 'more lineage')}`] : []),
    ],
    cuts.length === 0
      ? []
      : table(
          ['lineage', 'cut', 'full', 'tokens before', 'after', 'what it cost', 'early?'],
          cuts,
          [2, 3, 4],
        ),
    cutsInWords(uses).map(inline),
  ];
}

function cutCells(cut: WindowUse['cuts'][number]): string[] {
  const { what, fullness, from, to, rebilled, verdict } = cutWords(cut);
  return [what, fullness, from, to, rebilled, verdict].map(inline);
}

function notSeen({ unseen }: Report): string[] {
  return unseen.length === 0 ? [] : ['### Not seen', '', ...unseen.map(({ text }) => `- ${inline(text)}`)];
}

function phases({ phases: parts }: Summary): string[] {
  if (parts.length < 2) return [];
  const rows = parts.map(({ name, totals }) => [
    inline(name ?? '(none named)'),
    String(totals.calls),
    formatMeasure(totals.inputTokens, formatTokens),
    formatShare(totals.hitRate),
    formatMeasure(totals.usd, formatUsd),
    formatUsd(possibleUsd(totals)),
  ]);
  return [
    '### By phase',
    '',
    ...table(['phase', 'calls', 'input', 'read', 'cost', 'could be'], rows, [1, 2, 3, 4, 5]),
  ];
}

function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly number[],
): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    line(head.map((_, index) => (right.includes(index) ? '---:' : '---'))),
    ...rows.map(line),
  ];
}

/** Recorded names must not become markup, mentions or new cells. Tilde and dollar pairs are markup on some hosts. */
export function inline(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|#~$@]/g, (character) =>
    character === '@' ? '@\u200b' : `\\${character}`,
  );
}

function code(text: string): string {
  return `\`${text.replace(/[`|]/g, '')}\``;
}
