/** The same values in another order: keys of an object, or items of a list whose order means nothing (`required`, `enum`). */
import type { Leaf, Segment } from '../../prompt/prompt.ts';

export function isPermutation(old: Segment | undefined, now: Segment | undefined): boolean {
  if (!old || !now || old.leaves.length !== now.leaves.length) return false;
  if (old.known?.isPermutation) return old.known.isPermutation(now);
  const [before, after] = [canonical(old.leaves), canonical(now.leaves)];
  return before.every((line, index) => line === after[index]);
}

/** List positions and key order are taken out, so that only what is said remains. */
export function canonical(leaves: readonly Leaf[]): string[] {
  return leaves
    .map(
      ({ slot, text, isString }) =>
        `${slot.replace(/\[\d+\]/g, '[]')}\u0001${isString ? text : sortedKeys(text)}`,
    )
    .sort();
}

function sortedKeys(text: string): string {
  if (!text.startsWith('{') || !text.endsWith('}')) return text;
  return text.slice(1, -1).split(',').sort().join(',');
}

/** Two JSON texts with the same value. */
export function isSameJson(a: string, b: string): boolean {
  try {
    return stable(JSON.parse(a)) === stable(JSON.parse(b));
  } catch {
    return false;
  }
}

/** One text for one value; `undefined` where it is no JSON. */
export function stableJson(text: string): string | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return stable(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
