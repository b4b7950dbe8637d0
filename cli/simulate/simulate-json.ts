/** The answer of `simulate` as data. Expected figures are estimates throughout; reported ones say which calls they lack. */
import { RULES_DATE } from '../../src/cache/rules.ts';
import { measureJson } from '../report/diagnosis-json.ts';
import type { Recording } from './read-recording.ts';
import type { Expectation, LayoutResult, Simulation } from './simulation.ts';
import type { Sums } from './sums.ts';

export function simulateJson(simulation: Simulation, { refusedCalls, partialCalls }: Recording): string {
  const { fit, reported, asRecorded, layouts, rules, priceDates, methods } = simulation;
  return `${JSON.stringify(
    {
      version: 1,
      fit,
      reported: expectationJson(reported),
      asRecorded: expectationJson(asRecorded),
      layouts: layouts.map(layoutJson),
      leftOut: { refusedCalls, partialCalls },
      method: {
        rulesDate: RULES_DATE,
        rules: rules.map(({ provider, style, setsMarks, minimumTokens, ttlMs, granularityTokens }) => ({
          provider,
          style,
          setsMarks,
          minimumTokens,
          ttlMs,
          granularityTokens,
        })),
        priceDates,
        tokenTotals: methods,
      },
    },
    null,
    2,
  )}\n`;
}

function layoutJson({ changes, title, changedCalls, expected, reason, helps }: LayoutResult) {
  return {
    changes,
    title,
    changedCalls,
    helps,
    reason,
    expected: expected === null ? null : expectationJson(expected),
  };
}

function expectationJson({ all, lineages }: Expectation) {
  return {
    all: sumsJson(all),
    lineages: lineages.map(({ lineage, sums }) => ({ lineage, ...sumsJson(sums) })),
  };
}

function sumsJson({ calls, input, read, written, uncached, usd }: Sums) {
  return {
    calls,
    tokens: {
      input: measureJson(input),
      read: measureJson(read),
      written: written === null ? null : measureJson(written),
      uncached: measureJson(uncached),
    },
    usd: measureJson(usd),
  };
}
