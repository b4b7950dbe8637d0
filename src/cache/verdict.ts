/**
 * Verdict: divergence or miss, joined with what the usage says. Order of the questions: did the API refuse the request;
 * how much was lost against what the baseline left in the cache; does a changed prompt explain it; do the provider's rules
 * explain it; and only when every cause on the client's side is excluded, `provider_side`.
 */
import type { Certainty, Divergence, Miss, Outcome } from '../diagnosis.ts';
import { availableTokens, expectedReadOf, rebilledTokens, toleranceOf } from './available.ts';
import { firstImageAdded } from './images.ts';
import type { Judged } from './judged.ts';
import { faultOfMarks, volatileMark } from './mark-faults.ts';
import { rejectedMarks } from './marks.ts';
import { missCause } from './miss-cause.ts';

export interface Verdict {
  readonly divergence: Divergence | null;
  readonly miss: Miss | null;
  readonly outcome: Outcome;
  readonly certainty: Certainty;
  /** It cost something, or would have by the rules where usage does not say. */
  readonly isCostly: boolean;
  readonly expectedRead: number | null;
  readonly rebilled: number | null;
}

export function judge(call: Judged): Verdict {
  const rejected = call.status !== null && call.status >= 400 ? rejectedVerdict(call) : null;
  if (rejected) return rejected;
  const read = call.usage?.cacheRead ?? null;
  const available = availableTokens(call);
  const rebilled = rebilledTokens(call, available);
  const expectedRead = expectedReadOf(call, available);
  const lost = rebilled !== null && rebilled > toleranceOf(call, available);
  const outcome = outcomeOf(read, lost, available);
  const volatile = call.divergence ? null : volatileMark(call);
  if (volatile) {
    const whole = { ...call, isShared: false };
    const certainty = call.usage ? 'observed' : 'inferred';
    return {
      ...volatile,
      outcome,
      certainty,
      isCostly: true,
      expectedRead,
      rebilled: rebilledTokens(call, availableTokens(whole)),
    };
  }
  const fault = call.divergence ? null : faultOfMarks(call, lost);
  if (fault) {
    const certainty = call.usage ? 'observed' : 'inferred';
    return { ...fault, outcome, certainty, isCostly: true, expectedRead, rebilled };
  }
  const divergence = call.divergence ?? firstImageAdded(call, lost);
  if (divergence) {
    const certainty = read === null ? 'inferred' : 'observed';
    const isCostly = isDivergenceCostly(call, lost, available);
    return { divergence, miss: null, outcome, certainty, isCostly, expectedRead, rebilled };
  }
  const miss = missCause(call, { lost, available });
  if (miss && call.suspect && (miss.cause === 'provider_side' || miss.certainty === 'inferred')) {
    return {
      divergence: call.suspect,
      miss: null,
      outcome,
      certainty: 'inferred',
      isCostly: true,
      expectedRead,
      rebilled,
    };
  }
  const certainty = miss === null ? certaintyWithoutMiss(call) : miss.certainty;
  return {
    divergence: null,
    miss: miss?.cause ?? null,
    outcome,
    certainty,
    isCostly: miss?.isCostly ?? false,
    expectedRead,
    rebilled: miss === null && rebilled !== null ? 0 : rebilled,
  };
}

function rejectedVerdict(call: Judged): Verdict {
  const fault = rejectedMarks(call.prompt, call.rules);
  const plain = { outcome: 'unknown', certainty: 'observed', expectedRead: null, rebilled: null } as const;
  if (fault && call.status === 400) return { ...fault, ...plain, isCostly: true };
  return { divergence: null, miss: null, ...plain, isCostly: false };
}

function outcomeOf(read: number | null, lost: boolean, available: number | null): Outcome {
  if (read === null) return 'unknown';
  if (read === 0) return 'miss';
  return lost && available !== null ? 'partial' : 'hit';
}

/** Harmless: usage shows that the read held; or nothing of this size is ever cached. */
function isDivergenceCostly(call: Judged, lost: boolean, available: number | null): boolean {
  const { usage, rules, baseline } = call;
  if (usage === null || usage.cacheRead === null) return true;
  if (usage.input < rules.minimumTokens && usage.cacheRead === 0) return false;
  if (available === null) return usage.cacheRead === 0;
  if (available > 0) return lost;
  // Nothing was in the cache before: it may be this very change, in each call, that keeps it empty.
  return usage.cacheRead === 0 && (baseline?.outcome.usage?.input ?? 0) >= rules.minimumTokens;
}

function certaintyWithoutMiss(call: Judged): Certainty {
  return call.usage?.cacheRead === null || call.usage === null ? 'unknown' : 'observed';
}
