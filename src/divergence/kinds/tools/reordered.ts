import type { KindRule } from '../../kind-rule.ts';
import { isSameTool, toolNames } from '../../recognise/tools.ts';

export const reordered: KindRule = {
  kind: 'tools.reordered',
  advice:
    'Send the tools sorted by name, or in the order in which they were first seen: a map or a set does not keep one.',
  matches: (difference) => {
    if (isSameTool(difference) || !difference.old || !difference.new) return false;
    const [before, after] = [
      toolNames(difference.of(difference.before)),
      toolNames(difference.of(difference.after)),
    ];
    return before.has(difference.new.name ?? '') && after.has(difference.old.name ?? '');
  },
};
