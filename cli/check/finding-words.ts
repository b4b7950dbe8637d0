/** One group of findings in the words that every form of the answer shares. */
import { adviceFor, placeOf } from '../summary/explain.ts';
import { phraseFor } from '../summary/phrases.ts';
import { countOf, formatMeasure, formatTokens } from '../terminal/format.ts';
import type { CheckResult, FindingGroup } from './check-result.ts';
import type { KnownFinding } from './known-findings.ts';

export interface FindingWords {
  readonly cause: string;
  readonly phrase: string;
  readonly where: string | null;
  /** `2 calls of researcher` */
  readonly extent: string;
  /** `2,120 tokens billed again` */
  readonly cost: string;
  readonly advice: string | null;
}

export function findingWords(group: FindingGroup): FindingWords {
  const calls = countOf(group.callCount, 'call');
  const rebilled = group.rebilledTokens;
  return {
    cause: group.cause,
    phrase: phraseFor(group.cause),
    where: placeOf(group.worst),
    extent: group.phase === null ? calls : `${calls} of ${group.phase}`,
    cost:
      rebilled.value === null
        ? 'cost unknown: no usage reported'
        : `${formatMeasure(rebilled, formatTokens)} tokens billed again`,
    advice: adviceFor(group.worst),
  };
}

/** The line of the log that the costliest call stands in. */
export function logLine({ worst }: FindingGroup): { file: string; line: number } | null {
  const parts = worst.source === null ? null : /^(.+):(\d+)$/.exec(worst.source);
  if (!parts?.[1] || parts[1] === '<stdin>') return null;
  return { file: parts[1], line: Number(parts[2]) };
}

export function knownInWords({ cause, phase, place }: KnownFinding): string {
  return [cause, place, phase].filter((part) => part !== null).join(' · ');
}

export function verdictInWords({ passed, calls }: CheckResult): string {
  return `prefixtrace check ${passed ? 'passed' : 'failed'}: ${countOf(calls, 'call')}`;
}

export function unmeasuredInWords({ unmeasured, allowsUnmeasured }: CheckResult): string | null {
  if (unmeasured.length === 0) return null;
  const parts = unmeasured.join('; ');
  return allowsUnmeasured
    ? `not measured, which is allowed: ${parts}`
    : `not measured: ${parts}. What is unknown does not pass; --allow-unmeasured lets it.`;
}
