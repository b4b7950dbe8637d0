/**
 * A sum that knows its doubts. Unknown parts are counted, not added as 0; with no known part the sum itself is unknown.
 */
import type { ReportedCall } from './reported-call.ts';

export interface Measure {
  /** Sum over the calls for which the figure is known; `null` where it is known for none. */
  readonly value: number | null;
  readonly unknownCalls: number;
  /** At least one part is an estimate. */
  readonly isEstimated: boolean;
}

/** `pick` answers `undefined` where the figure does not apply to the call, `null` where it is unknown. */
export function sumOf(
  calls: Iterable<ReportedCall>,
  pick: (call: ReportedCall) => number | null | undefined,
  isEstimate: (call: ReportedCall) => boolean = (call) => call.tokens.method !== 'usage',
): Measure {
  let value: number | null = null;
  let unknownCalls = 0;
  let isEstimated = false;
  let applies = false;
  for (const call of calls) {
    const figure = pick(call);
    if (figure === undefined) continue;
    applies = true;
    if (figure === null) unknownCalls += 1;
    else {
      value = (value ?? 0) + figure;
      isEstimated ||= isEstimate(call);
    }
  }
  // Nothing to add up is a true zero, unlike something that nobody knows.
  return { value: applies ? value : 0, unknownCalls, isEstimated };
}

/** Largest first; what is unknown comes last. */
export function byMeasure(left: Measure, right: Measure): number {
  return (right.value ?? -1) - (left.value ?? -1);
}
