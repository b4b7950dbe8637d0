/** What passed so far, in a few figures: a proxy may run for weeks, so no call is kept. */
import { type Measure, sumOf } from '../summary/measure.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { countOf, formatMeasure, formatShare, formatTokens, formatUsd } from '../terminal/format.ts';

export interface Tally {
  readonly calls: number;
  /** Their bodies could not be read as prompts. */
  readonly unreadable: number;
  readonly findings: number;
  readonly rebilledTokens: Measure;
  readonly rebilledUsd: Measure;
  /** Over calls that report both. */
  readonly inputTokens: number;
  readonly readTokens: number;
}

const NOTHING: Measure = { value: null, unknownCalls: 0, isEstimated: false };

export const EMPTY_TALLY: Tally = {
  ...{ calls: 0, unreadable: 0, findings: 0, inputTokens: 0, readTokens: 0 },
  ...{ rebilledTokens: NOTHING, rebilledUsd: NOTHING },
};

export function withCall(tally: Tally, call: ReportedCall): Tally {
  const { cacheRead, input } = call.tokens;
  const counted = {
    ...tally,
    calls: tally.calls + 1,
    inputTokens: tally.inputTokens + (cacheRead === null ? 0 : input),
    readTokens: tally.readTokens + (cacheRead ?? 0),
  };
  if (!call.finding) return counted;
  return {
    ...counted,
    findings: tally.findings + 1,
    rebilledTokens: plus(
      tally.rebilledTokens,
      sumOf([call], ({ tokens }) => tokens.rebilled),
    ),
    rebilledUsd: plus(
      tally.rebilledUsd,
      sumOf([call], ({ cost }) => cost?.rebilledUsd ?? null),
    ),
  };
}

/** `12 calls, 3 findings: 45,210 tokens billed again, $0.41; 61 % of input read from cache` */
export function tallyInWords(tally: Tally): string {
  const { calls, unreadable, findings, inputTokens, readTokens } = tally;
  const cost = tally.rebilledUsd.value === null ? '' : `, ${formatMeasure(tally.rebilledUsd, formatUsd)}`;
  const loss =
    findings === 0
      ? 'no finding'
      : `${countOf(findings, 'finding')}: ${formatMeasure(tally.rebilledTokens, formatTokens)} tokens billed again${cost}`;
  return [
    `${countOf(calls, 'call')}, ${loss}`,
    inputTokens === 0
      ? 'no usage reported'
      : `${formatShare(readTokens / inputTokens)} of input read from cache`,
    ...(unreadable === 0 ? [] : [`${countOf(unreadable, 'body', 'bodies')} could not be read`]),
  ].join('; ');
}

function plus(left: Measure, right: Measure): Measure {
  return {
    value:
      left.value === null || right.value === null ? (left.value ?? right.value) : left.value + right.value,
    unknownCalls: left.unknownCalls + right.unknownCalls,
    isEstimated: left.isEstimated || right.isEstimated,
  };
}
