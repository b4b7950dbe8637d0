/**
 * Workflow commands of GitHub Actions, one for each new finding:
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
 */
import { countOf } from '../terminal/format.ts';
import type { CheckResult, FindingGroup } from './check-result.ts';
import { findingWords, logLine, unmeasuredInWords } from './finding-words.ts';

/** GitHub shows ten of a sort for each step and drops the others without a word; the last place tells of them. */
const MAX_ANNOTATIONS = 10;

export function annotations(result: CheckResult): string {
  const unmeasured = unmeasuredInWords(result);
  const lines = [
    ...(unmeasured === null
      ? []
      : [command(result.allowsUnmeasured ? 'warning' : 'error', { title: 'not measured' }, unmeasured)]),
    // Findings within a limit are told of and do not look like the reason of a failure.
    ...result.newFindings.map((group) => findingCommand(group, result.passed ? 'warning' : 'error')),
  ];
  const shown =
    lines.length <= MAX_ANNOTATIONS
      ? lines
      : [...lines.slice(0, MAX_ANNOTATIONS - 1), othersCommand(lines.length - MAX_ANNOTATIONS + 1)];
  return shown.map((line) => `${line}\n`).join('');
}

/** Recorded names are printed into a log in which lines may command the runner: https://github.com/actions/runner. */
export function withoutCommands(text: string): string {
  return text.replaceAll('::', ':\u200b:').replaceAll('##[', '#\u200b#[');
}

function findingCommand(group: FindingGroup, level: 'error' | 'warning'): string {
  const { cause, phrase, where, extent, cost, advice } = findingWords(group);
  const place = logLine(group);
  const message = [`${phrase}: ${extent}, ${cost}`, where, advice].filter((part) => part !== null).join('\n');
  return command(level, { ...(place && { file: place.file, line: place.line }), title: cause }, message);
}

function othersCommand(count: number): string {
  return command('error', { title: 'prefixtrace check' }, `${countOf(count, 'other finding')}: see the log.`);
}

function command(
  name: 'error' | 'warning',
  properties: Readonly<Record<string, string | number>>,
  message: string,
): string {
  const list = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
  return `::${name} ${list.join(',')}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
