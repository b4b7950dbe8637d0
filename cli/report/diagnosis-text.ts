/** `prefixtrace diagnose` for a person: a short block for each finding, then what it all came to. */
import { causeOf } from '../summary/classify.ts';
import { explain, scopeInWords } from '../summary/explain.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { possibleUsd, totalsOf } from '../summary/totals.ts';
import { countOf, formatMeasure, formatShare, formatTokens, formatUsd } from '../terminal/format.ts';
import type { Style } from '../terminal/style.ts';
import { plainData, wrap } from '../terminal/terminal-text.ts';

const LABEL_WIDTH = 8;

export interface DiagnosisTextOptions {
  readonly style: Style;
  readonly columns: number;
  /** Show the text around the divergence: content of the prompts, so only where it was asked for. */
  readonly showExcerpts: boolean;
}

export function diagnosisText(rawCalls: readonly ReportedCall[], options: DiagnosisTextOptions): string {
  const { style } = options;
  const calls = plainData(rawCalls);
  const callsByIndex = new Map(calls.map((call) => [call.index, call]));
  const blocks = calls
    .filter((call) => call.finding)
    .map((call) => findingBlock(call, callsByIndex, options).join('\n'));
  return `${[...blocks, closing(calls, style)].join('\n\n')}\n`;
}

function findingBlock(
  call: ReportedCall,
  callsByIndex: ReadonlyMap<number, ReportedCall>,
  { style, columns, showExcerpts }: DiagnosisTextOptions,
): string[] {
  const shown = explain(call, callsByIndex).filter(
    ({ name }) => showExcerpts || (name !== 'before' && name !== 'after'),
  );
  const against = call.baseline === null ? '' : ` against call ${call.baseline + 1}`;
  const where = call.source === null ? '' : ` · ${call.source}`;
  const head = `${style.bad('╳')} ${style.strong(causeOf(call) ?? '')}  call ${call.index + 1}${against}`;
  const facts = shown.flatMap(({ name, text }) =>
    wrap(text, columns - LABEL_WIDTH - 2).map(
      (line, row) => `  ${style.faint((row === 0 ? name : '').padEnd(LABEL_WIDTH))}${line}`,
    ),
  );
  return [`${head} ${style.faint(`· ${scopeInWords(call)}${where}`)}`, ...facts];
}

function closing(calls: readonly ReportedCall[], style: Style): string {
  const totals = totalsOf(calls);
  const counted = `${countOf(totals.calls, 'call')} of ${countOf(totals.lineages, 'lineage')}`;
  if (totals.calls === 0) return 'No call could be diagnosed.';
  const read =
    totals.hitRate === null ? 'no usage reported' : `${formatShare(totals.hitRate)} of input read from cache`;
  if (totals.findings === 0) return `${style.good('No finding')} in ${counted}; ${read}.`;
  const rebilled = `${formatMeasure(totals.rebilledTokens, formatTokens)} tokens billed again`;
  const possible = possibleUsd(totals);
  const cost =
    totals.usd.value === null
      ? 'no price known'
      : `${formatMeasure(totals.usd, formatUsd)} in all${possible === null ? '' : `, could be ${formatUsd(possible)}`}`;
  return `${style.strong(countOf(totals.findings, 'finding'))} in ${counted}; ${rebilled}; ${cost}; ${read}.`;
}
