/** The answer of `check` for a terminal or a log: the verdict, the limits, each new finding, what was left out. */
import { countOf } from '../terminal/format.ts';
import type { Style } from '../terminal/style.ts';
import { wrap } from '../terminal/terminal-text.ts';
import type { CheckResult, FindingGroup } from './check-result.ts';
import { findingWords, knownInWords, unmeasuredInWords, verdictInWords } from './finding-words.ts';

export interface CheckTextOptions {
  readonly style: Style;
  readonly columns: number;
}

const LABEL_WIDTH = 6;

export function checkText(result: CheckResult, options: CheckTextOptions): string {
  const blocks = [
    heading(result, options),
    ...result.newFindings.map((group) => findingBlock(group, options)),
    remarks(result, options),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function heading(result: CheckResult, { style, columns }: CheckTextOptions): string[] {
  const mark = (passed: boolean) => (passed ? style.good('✓') : style.bad('✗'));
  const unmeasured = unmeasuredInWords(result);
  const unmeasuredMark = result.allowsUnmeasured ? style.faint('·') : style.bad('✗');
  return [
    style.strong(verdictInWords(result)),
    ...result.limits.map(({ passed, text }) => `  ${mark(passed)} ${text}`),
    ...(unmeasured === null ? [] : hanging(unmeasured, `  ${unmeasuredMark} `, 4, columns)),
  ];
}

function findingBlock(group: FindingGroup, { style, columns }: CheckTextOptions): string[] {
  const words = findingWords(group);
  const source = group.worst.source === null ? '' : ` · ${group.worst.source}`;
  const facts = [
    ['at', words.where],
    ['why', words.phrase],
    ['cost', words.cost],
    ['do', words.advice],
  ] as const;
  return [
    `${style.bad('╳')} ${style.strong(words.cause)}  ${style.faint(`${words.extent}${source}`)}`,
    ...facts.flatMap(([label, text]) =>
      hanging(text ?? '', `  ${style.faint(label.padEnd(LABEL_WIDTH))}`, LABEL_WIDTH + 2, columns),
    ),
  ];
}

function remarks({ knownFindings, goneFindings }: CheckResult, { style }: CheckTextOptions): string[] {
  const gone = goneFindings.map((finding) => `  ${knownInWords(finding)}`);
  return [
    ...(knownFindings.length === 0
      ? []
      : [`${countOf(knownFindings.length, 'known finding')}, listed in the baseline.`]),
    ...(gone.length === 0
      ? []
      : ['In the baseline and no longer seen; --update-baseline takes them out:', ...gone]),
  ].map(style.faint);
}

/** `first` is printed before the first line; the others are set in by its width. */
function hanging(text: string, first: string, indent: number, columns: number): string[] {
  return wrap(text, columns - indent).map((line, row) => `${row === 0 ? first : ' '.repeat(indent)}${line}`);
}
