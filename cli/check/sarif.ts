/**
 * The answer of `check` as SARIF 2.1.0, for code scanning: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 * One rule a cause, one result a group of findings; those of the baseline are there as suppressed.
 */
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { VERSION } from '../../src/version.ts';
import { phraseFor } from '../summary/phrases.ts';
import type { CheckResult, FindingGroup } from './check-result.ts';
import { findingWords, logLine, unmeasuredInWords } from './finding-words.ts';
import { keyOf } from './known-findings.ts';

export function checkSarif(result: CheckResult): string {
  const groups = [...result.newFindings, ...result.knownFindings];
  const causes = [...new Set(groups.map(({ cause }) => cause))].sort();
  const known = new Set(result.knownFindings);
  return `${JSON.stringify(
    {
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'prefixtrace', version: VERSION, rules: causes.map(ruleOf) } },
          invocations: [invocationOf(result)],
          results: groups.map((group) => resultOf(group, causes.indexOf(group.cause), known.has(group))),
        },
      ],
    },
    null,
    2,
  )}\n`;
}

function ruleOf(cause: string) {
  return { id: cause, shortDescription: { text: phraseFor(cause) } };
}

function invocationOf(result: CheckResult) {
  const unmeasured = unmeasuredInWords(result);
  return {
    executionSuccessful: true,
    exitCode: result.passed ? 0 : 1,
    toolExecutionNotifications:
      unmeasured === null
        ? []
        : [{ level: result.allowsUnmeasured ? 'warning' : 'error', message: { text: unmeasured } }],
  };
}

function resultOf(group: FindingGroup, ruleIndex: number, isKnown: boolean) {
  const { phrase, where, extent, cost, advice } = findingWords(group);
  const text = [`${phrase}: ${extent}, ${cost}.`, where === null ? null : `At ${where}.`, advice];
  const place = logLine(group);
  return {
    ruleId: group.cause,
    ruleIndex,
    level: 'warning',
    message: { text: text.filter((part) => part !== null).join(' ') },
    occurrenceCount: group.callCount,
    partialFingerprints: { 'prefixtraceFinding/v1': keyOf(group) },
    baselineState: isKnown ? 'unchanged' : 'new',
    ...(isKnown && { suppressions: [{ kind: 'external', justification: 'listed in the baseline file' }] }),
    ...(place && {
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: uriOf(place.file) },
            region: { startLine: place.line },
          },
        },
      ],
    }),
  };
}

/** A relative path stays relative: code scanning resolves it against the repository. */
function uriOf(file: string): string {
  if (isAbsolute(file)) return pathToFileURL(file).href;
  return file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
}
