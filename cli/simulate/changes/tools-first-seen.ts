/**
 * Tools in the order in which they were first seen: in a conversation a new tool comes last, where it moves no other;
 * a new conversation begins in the order of the recording as a whole.
 */
import type { Change } from './change.ts';
import { reorderTools, type ToolRanks } from './tool-order.ts';

export function toolsFirstSeen(): Change {
  const all = new Ranks();
  const lineages = new Map<string, Ranks>();
  const ranksIn = (lineage: string): ToolRanks => {
    const own = lineages.get(lineage) ?? new Ranks();
    lineages.set(lineage, own);
    return (names) => {
      all.add(names);
      own.add([...names].sort((left, right) => all.of(left) - all.of(right)));
      return (name) => own.of(name);
    };
  };
  return {
    name: 'tools-first-seen',
    title: 'tools in the order of first sight',
    obstacle: () => null,
    nothingToDo: 'no tool ever changes its place',
    apply: (body, { api, lineage }) => reorderTools(api, body, ranksIn(lineage)),
  };
}

class Ranks {
  readonly #ranks = new Map<string, number>();

  add(names: readonly string[]): void {
    for (const name of names) if (!this.#ranks.has(name)) this.#ranks.set(name, this.#ranks.size);
  }

  of(name: string): number {
    return this.#ranks.get(name) ?? this.#ranks.size;
  }
}
