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

/** A measure in the making, for sums over many calls at once. */
export class MeasureSum {
  #value: number | null = null;
  #unknownCalls = 0;
  #isEstimated = false;

  /** `figure` is `null` where it is unknown. */
  add(figure: number | null, isEstimate: boolean): void {
    if (figure === null) this.#unknownCalls += 1;
    else {
      this.#value = (this.#value ?? 0) + figure;
      this.#isEstimated ||= isEstimate;
    }
  }

  merge(other: MeasureSum): void {
    if (other.#value !== null) this.#value = (this.#value ?? 0) + other.#value;
    this.#unknownCalls += other.#unknownCalls;
    this.#isEstimated ||= other.#isEstimated;
  }

  measure(): Measure {
    return {
      // Nothing to add up is a true zero, unlike something that nobody knows.
      value: this.#unknownCalls === 0 ? (this.#value ?? 0) : this.#value,
      unknownCalls: this.#unknownCalls,
      isEstimated: this.#isEstimated,
    };
  }
}

export function sumOf(
  calls: Iterable<ReportedCall>,
  pick: (call: ReportedCall) => number | null,
  isEstimate: (call: ReportedCall) => boolean = isEstimated,
): Measure {
  const sum = new MeasureSum();
  for (const call of calls) sum.add(pick(call), isEstimate(call));
  return sum.measure();
}

/** Of parts that have been summed already. */
export function sumOfMeasures(parts: Iterable<Measure>): Measure {
  let known: number | null = null;
  let unknownCalls = 0;
  let isEstimate = false;
  for (const part of parts) {
    // A part of nothing but unknown calls has no value; one without any call has a true zero.
    if (part.value !== null) known = (known ?? 0) + part.value;
    unknownCalls += part.unknownCalls;
    isEstimate ||= part.isEstimated;
  }
  return { value: unknownCalls === 0 ? (known ?? 0) : known, unknownCalls, isEstimated: isEstimate };
}

export function isEstimated(call: ReportedCall): boolean {
  return call.tokens.method !== 'usage';
}

/** Largest first; what is unknown comes last. */
export function byMeasure(left: Measure, right: Measure): number {
  return (right.value ?? -1) - (left.value ?? -1);
}
