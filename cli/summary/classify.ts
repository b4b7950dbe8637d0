/**
 * Whose doing a call's loss was. A report never mixes these: what a change of the prompt can mend, what it cannot,
 * and what was meant.
 */
import type { Miss } from '../../src/diagnosis.ts';
import type { ReportedCall } from './reported-call.ts';

/**
 * `fault`: a change to the request mends it. `circumstance`: the prompt held, something else did not.
 * `declared`: the application said so, or it is a known legitimate rewrite. `quiet`: nothing to tell.
 */
export type Category = 'fault' | 'circumstance' | 'declared' | 'quiet';

/** Misses that come from where the cache marks stand, so from the request itself. */
export const MENDABLE_MISSES: ReadonlySet<Miss> = new Set([
  'no_breakpoint',
  'no_reachable_entry',
  'lookback_exceeded',
]);

export function categoryOf(call: ReportedCall): Category {
  if (call.expected !== null) return 'declared';
  if (call.divergence !== null) return call.finding ? 'fault' : 'quiet';
  // A loss that nothing explains, as of a log without prompts: it cost, and nobody is to blame.
  if (call.miss === null) return call.finding ? 'circumstance' : 'quiet';
  if (!MENDABLE_MISSES.has(call.miss)) return 'circumstance';
  return call.finding ? 'fault' : 'quiet';
}

/** The name under which a loss is counted: a divergence's kind, else a miss, else what was declared. */
export function causeOf(
  call: Pick<ReportedCall, 'expected' | 'divergence' | 'miss' | 'finding'>,
): string | null {
  if (call.expected !== null) return call.expected;
  return call.divergence?.kind ?? call.miss ?? (call.finding ? 'unexplained' : null);
}
