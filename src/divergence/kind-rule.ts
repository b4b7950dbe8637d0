/**
 * One rule a kind, one file a rule. A component's rules are asked in the order of its list; the first that matches names
 * the divergence. Adding a kind is adding a file and a line in that list.
 */
import type { Difference } from './difference.ts';

export interface KindRule {
  readonly kind: string;
  /** What to do about it, in one or two sentences; names the cache-preserving way where the provider has one. */
  readonly advice: string;
  matches(difference: Difference): boolean;
  /** A better place than the first differing leaf, as a path in the newer body. */
  place?(difference: Difference): string | undefined;
}
