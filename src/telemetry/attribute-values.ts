/**
 * From values that may be unknown to span attributes.
 *
 * Invariant: zero stays zero; `null`, `undefined` and NaN become an absent attribute, never a made-up value.
 */
import type { Attributes, AttributeValue } from '@opentelemetry/api';

/** A name with its value, which may be unknown. Pairs, as objects of forty computed keys take ten times as long. */
export type Pair = readonly [name: string, value: AttributeValue | null | undefined];

export function knownOnly(pairs: readonly Pair[]): Attributes {
  const known: Attributes = {};
  for (const [name, value] of pairs) {
    if (value === null || value === undefined) continue;
    if (typeof value === 'number' && !Number.isFinite(value)) continue;
    known[name] = value;
  }
  return known;
}

/** Token counts are integers by contract; an estimate may arrive with a fraction. */
export function integer(value: number | null | undefined): number | undefined {
  return typeof value === 'number' ? Math.round(value) : undefined;
}

/**
 * A reason as a word of low cardinality: `Body is not JSON` → `body_is_not_json`. What has quotes or digits in it may
 * quote the prompt (Node's JSON errors do) or differ at every call, and becomes `other`.
 */
export function reasonWord(reason: string): string {
  return /^[a-z][a-z _.:-]{0,47}$/i.test(reason) ? reason.toLowerCase().replace(/[ :-]+/g, '_') : 'other';
}
