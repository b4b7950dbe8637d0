/** The answer of `check` as data. */

import { measureJson } from '../report/diagnosis-json.ts';
import { adviceFor } from '../summary/explain.ts';
import type { CheckResult, FindingGroup } from './check-result.ts';

export function checkJson(result: CheckResult): string {
  const { passed, calls, limits, newFindings, knownFindings, goneFindings, unmeasured } = result;
  return `${JSON.stringify(
    {
      version: 1,
      passed,
      calls,
      limits: limits.map(({ name, limit, value, passed: holds }) => ({ name, limit, value, passed: holds })),
      newFindings: newFindings.map(groupJson),
      knownFindings: knownFindings.map(groupJson),
      goneFindings,
      unmeasured: { allowed: result.allowsUnmeasured, reasons: unmeasured },
    },
    null,
    2,
  )}\n`;
}

function groupJson(group: FindingGroup) {
  const { cause, phase, place, callCount, calls, worst } = group;
  return {
    cause,
    phase,
    place,
    advice: adviceFor(worst),
    rebilled: measureJson(group.rebilledTokens),
    rebilledUsd: measureJson(group.rebilledUsd),
    callCount,
    calls: calls.map(({ index, source, at, divergence }) => ({
      index,
      source,
      at,
      path: divergence?.path ?? null,
    })),
  };
}
