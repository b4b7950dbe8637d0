/** Heads of this process and of others as one list, in the order of their calls. */
import type { Head } from '../head.ts';
import type { Heads } from '../heads.ts';
import type { SharedHeads } from './shared-heads.ts';

/** Own heads keep their texts, so they are preferred; those that another process has gone on from are dropped. */
export function mergeHeads(
  own: readonly Head[],
  found: readonly Head[],
  shared: SharedHeads | undefined,
  heads: Heads,
): readonly Head[] {
  if (!shared || found.length === 0) return own;
  const byId = new Map(found.map((head) => [shared.idOf(head), head]));
  const kept: Head[] = [];
  for (const head of own) {
    const id = shared.idOf(head);
    const stored = byId.get(id);
    byId.delete(id);
    if (stored) head.wasSummarised ||= stored.wasSummarised;
    if (!stored && isOutdated(head, found)) heads.remove(head);
    else kept.push(head);
  }
  const all = [...kept, ...byId.values()];
  return all.every(({ facts }) => facts.atMs !== null)
    ? all.sort((a, b) => (a.facts.atMs as number) - (b.facts.atMs as number))
    : all;
}

/** Gone from the store, and its lineage has gone on there. */
function isOutdated({ lineage, turn }: Head, found: readonly Head[]): boolean {
  return found.some((other) => other.lineage === lineage && other.turn > turn);
}
