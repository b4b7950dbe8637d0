/** The answer of `check` for a pull request or a job summary. */
import { inline } from '../report/report-markdown.ts';
import type { CheckResult, FindingGroup } from './check-result.ts';
import { findingWords, knownInWords, unmeasuredInWords } from './finding-words.ts';

export function checkMarkdown(result: CheckResult): string {
  const unmeasured = unmeasuredInWords(result);
  const sections = [
    [`## ${result.passed ? '✅' : '❌'} Prompt cache: ${result.passed ? 'passed' : 'failed'}`],
    [
      ...result.limits.map(({ passed, text }) => `- ${passed ? '✅' : '❌'} ${inline(text)}`),
      ...(unmeasured === null ? [] : [`- ${result.allowsUnmeasured ? '⚠️' : '❌'} ${inline(unmeasured)}`]),
    ],
    findings('New findings', result.newFindings),
    findings('Known findings', result.knownFindings),
    list('In the baseline and no longer seen', result.goneFindings.map(knownInWords)),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function findings(title: string, groups: readonly FindingGroup[]): string[] {
  if (groups.length === 0) return [];
  return [
    `### ${title}`,
    '',
    '| cause | where | calls | cost | what to do |',
    '| --- | --- | --- | --- | --- |',
    ...groups.map((group) => {
      const { cause, where, extent, cost, advice } = findingWords(group);
      return `| ${[cause, where ?? '', extent, cost, advice ?? ''].map(inline).join(' | ')} |`;
    }),
  ];
}

function list(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`### ${title}`, '', ...items.map((item) => `- ${inline(item)}`)];
}
