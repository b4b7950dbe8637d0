/** `prefixtrace simulate` for a person: first how far to trust it, then each layout against the recording as it is. */
import { RULES_DATE } from '../../src/cache/rules.ts';
import {
  countOf,
  formatCount,
  formatDuration,
  formatMeasure,
  formatShare,
  formatTokens,
  formatUsd,
} from '../terminal/format.ts';
import type { Style } from '../terminal/style.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { wrap } from '../terminal/terminal-text.ts';
import { type Fit, GOOD_SHARE } from './fit.ts';
import type { Recording } from './read-recording.ts';
import { isNoDifference, type LayoutResult, type Simulation } from './simulation.ts';
import type { Sums } from './sums.ts';

export interface SimulateTextOptions {
  readonly style: Style;
  readonly columns: number;
}

export function simulateText(
  simulation: Simulation,
  recording: Recording,
  options: SimulateTextOptions,
): string {
  const sections = [
    heading(simulation, options),
    trust(simulation.fit, options),
    layouts(simulation, options),
    lineages(simulation, options),
    method(simulation, recording, options),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function heading({ reported }: Simulation, { style }: SimulateTextOptions): string[] {
  const { all, lineages: parts } = reported;
  const extent = `${countOf(parts.length, 'lineage')} · ${countOf(all.calls, 'call')}`;
  return [`${style.strong('prefixtrace simulate')}  ${style.faint(extent)}`];
}

function trust(
  { off, calls, near, expectedRead, reportedRead, unseen }: Fit,
  options: SimulateTextOptions,
): string[] {
  const { style, columns } = options;
  if (off === null)
    return wrap(
      'No call reports a read of what was recorded: how well the rules fit is unknown, so take the figures as a guess.',
      columns,
    ).map(style.bad);
  const isGood = off <= GOOD_SHARE;
  const verdict = isGood
    ? 'The rules fit the recording'
    : 'The rules do not fit the recording well, so the figures below are a weak guess';
  const facts =
    expectedRead === 0 && reportedRead === 0
      ? `as they expect, none of ${countOf(calls, 'call')} read anything.`
      : `of it as it is they expect ${formatTokens(expectedRead)} tokens read, and ${formatTokens(reportedRead)} are reported; call by call ${formatShare(off)} off, ${near} of ${countOf(calls, 'call')} within ${formatShare(GOOD_SHARE)}.`;
  const given =
    unseen === 0
      ? ''
      : ` ${countOf(unseen, 'call')} read what was cached before the recording began: that read is kept under every layout.`;
  return wrap(`${verdict}: ${facts}${given}`, columns).map(isGood ? style.good : style.bad);
}

const COLUMNS: readonly Column[] = [
  { title: 'Layout', align: 'start', shrinks: true },
  { title: 'read', align: 'end' },
  { title: 'written', align: 'end' },
  { title: 'uncached', align: 'end' },
  { title: 'cost', align: 'end' },
  { title: 'saved', align: 'end' },
];

function layouts(simulation: Simulation, { style, columns }: SimulateTextOptions): string[] {
  const { reported, asRecorded } = simulation;
  const tried = simulation.layouts.filter(({ expected }) => expected !== null);
  const rows = [
    ['  as it is, reported', ...cells(reported.all), ''],
    ['  as it is, expected', ...cells(asRecorded.all), ''],
    ...tried.map((layout) => [
      `  ${layout.title}`,
      ...(layout.expected ? [...cells(layout.expected.all), saved(asRecorded.all, layout.expected.all)] : []),
    ]),
  ];
  const [head = '', ...lines] = tableLines(COLUMNS, rows, columns);
  const notes = simulation.layouts.flatMap((layout) => remark(layout, columns));
  return [style.accent(head), ...lines, ...notes.map(style.faint)];
}

function remark({ title, reason, expected, changedCalls }: LayoutResult, columns: number): string[] {
  if (reason === null) return [];
  const text =
    expected === null ? `${title}: ${reason}` : `${title}: ${countOf(changedCalls, 'call')} only; ${reason}`;
  return wrap(text, columns - 2).map((line) => `  ${line}`);
}

function cells({ read, written, uncached, usd }: Sums): string[] {
  return [
    formatMeasure(read, formatTokens),
    written === null ? '' : formatMeasure(written, formatTokens),
    formatMeasure(uncached, formatTokens),
    formatMeasure(usd, formatUsd),
  ];
}

/** Against the recording as expected, not as reported: what the rules get wrong is wrong on both sides. */
function saved(before: Sums, after: Sums): string {
  const isPriced = before.usd.value !== null && after.usd.unknownCalls === 0;
  const [old, now] = isPriced
    ? [before.usd.value ?? 0, after.usd.value ?? 0]
    : [before.read.value ?? 0, after.read.value ?? 0];
  if (isNoDifference(old, now)) return 'no difference';
  if (!isPriced) return `${now < old ? '−' : '+'}~${formatTokens(Math.abs(now - old))} read`;
  return `${now > old ? '−' : ''}~${formatUsd(Math.abs(now - old))} (${formatShare(Math.abs(now - old) / old)})`;
}

const LINEAGE_COLUMNS: readonly Column[] = [
  { title: '', align: 'start', shrinks: true },
  { title: 'calls', align: 'end' },
  { title: 'read before', align: 'end' },
  { title: 'after', align: 'end' },
  { title: 'cost before', align: 'end' },
  { title: 'after', align: 'end' },
];

const MOST_LINEAGES = 20;

/** Of the best layout alone; `--json` has them all. */
function lineages(
  { asRecorded, layouts: all }: Simulation,
  { style, columns }: SimulateTextOptions,
): string[] {
  const best = all.find(({ expected }) => expected !== null);
  if (!best?.expected || asRecorded.lineages.length < 2) return [];
  const after = new Map(best.expected.lineages.map(({ lineage, sums }) => [lineage, sums]));
  const changed = asRecorded.lineages.filter(({ lineage, sums }) => {
    const now = after.get(lineage);
    return (
      !isNoDifference(sums.read.value ?? 0, now?.read.value ?? 0) ||
      !isNoDifference(sums.usd.value ?? 0, now?.usd.value ?? 0)
    );
  });
  const rows = changed.slice(0, MOST_LINEAGES).map(({ lineage, sums }) => {
    const now = after.get(lineage) ?? sums;
    return [
      `  ${lineage}`,
      formatCount(sums.calls),
      formatMeasure(sums.read, formatTokens),
      formatMeasure(now.read, formatTokens),
      formatMeasure(sums.usd, formatUsd),
      formatMeasure(now.usd, formatUsd),
    ];
  });
  if (rows.length === 0) return [];
  const title = `By lineage: ${best.title}`;
  const rest = changed.length - rows.length;
  return [
    style.accent(title),
    ...tableLines(LINEAGE_COLUMNS, rows, columns),
    ...(rest > 0 ? [style.faint(`  … ${countOf(rest, 'lineage')} more, in --json`)] : []),
  ];
}

function method(
  { rules, priceDates, methods }: Simulation,
  { refusedCalls, partialCalls }: Recording,
  { style, columns }: SimulateTextOptions,
): string[] {
  const caches = rules.map(({ provider, style: kind, minimumTokens, ttlMs }) => {
    const name = provider === 'unknown' ? 'a cache without documented rules' : provider;
    return `${name} (${kind === 'explicit' ? 'entries at marks' : 'every prompt as it passes'}, from ${formatTokens(minimumTokens)} tokens, for ${formatDuration(ttlMs)})`;
  });
  const totals = [
    methods.usage === 0 ? '' : `${formatCount(methods.usage)} reported`,
    methods.calibrated === 0 ? '' : `${formatCount(methods.calibrated)} calibrated by other calls`,
    methods.estimated === 0 ? '' : `${formatCount(methods.estimated)} estimated`,
  ].filter((text) => text !== '');
  const left = [
    refusedCalls === 0 ? '' : `${countOf(refusedCalls, 'call')} that failed`,
    partialCalls === 0 ? '' : `${countOf(partialCalls, 'call')} whose history lies with the provider`,
  ].filter((text) => text !== '');
  return [
    `Nothing was sent. Rules as documented on ${RULES_DATE}: ${[...new Set(caches)].join('; ')}.`,
    `Token totals: ${totals.join(', ')}; the parts of a prompt share them by length. ~ marks what is expected and not reported; money saved is against the recording as expected.${priceDates.length === 0 ? '' : ` Prices of ${priceDates.join(', ')}.`}`,
    left.length === 0 ? '' : `Left out: ${left.join(', ')}.`,
  ]
    .filter((text) => text !== '')
    .flatMap((text) => wrap(text, columns))
    .map(style.faint);
}
