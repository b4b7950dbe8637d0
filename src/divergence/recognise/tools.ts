/** Tool lists of both sides, by name. */

import type { Segment } from '../../prompt/prompt.ts';
import type { Difference } from '../difference.ts';

export function toolNames(tools: readonly Segment[]): Set<string> {
  return new Set(tools.map(({ name }) => name ?? ''));
}

/** Tools that only one side has. */
export function changedTools(difference: Difference): { added: Segment[]; removed: Segment[] } {
  const before = difference.of(difference.before);
  const after = difference.of(difference.after);
  const [oldNames, newNames] = [toolNames(before), toolNames(after)];
  return {
    added: after.filter(({ name }) => !oldNames.has(name ?? '')),
    removed: before.filter(({ name }) => !newNames.has(name ?? '')),
  };
}

export function isSameTool(difference: Difference): boolean {
  return difference.old !== undefined && difference.old.name === difference.new?.name;
}
