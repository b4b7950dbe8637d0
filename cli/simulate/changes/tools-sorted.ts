/** Tools sorted by name: the plainest order that is the same in every process. */
import type { Change } from './change.ts';
import { reorderTools, type ToolRanks } from './tool-order.ts';

export function toolsSorted(): Change {
  return {
    name: 'tools-sorted',
    title: 'tools sorted by name',
    obstacle: () => null,
    nothingToDo: 'all tools come sorted already',
    apply: (body, { api }) => reorderTools(api, body, byName),
  };
}

/** By code unit, which no locale of a machine changes. */
const byName: ToolRanks = (names) => {
  const sorted = [...names].sort();
  return (name) => sorted.indexOf(name);
};
