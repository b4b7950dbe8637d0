import type { Segment } from '../../../prompt/prompt.ts';
import { contentKey } from '../../difference.ts';
import type { KindRule } from '../../kind-rule.ts';

export const toolResultsReordered: KindRule = {
  kind: 'messages.tool_results_reordered',
  advice:
    'Store parallel tool results in the order of their calls, not in the order in which they finished, and never sort them later.',
  matches: (difference) => {
    const before = leadingResults(difference.oldTail());
    const after = leadingResults(difference.newTail()).slice(0, before.length);
    return (
      before.length > 1 &&
      before.length === after.length &&
      before.sort().every((key, index) => key === after.sort()[index])
    );
  },
};

function leadingResults(segments: readonly Segment[]): string[] {
  const end = segments.findIndex(({ kind }) => kind !== 'tool_result');
  return (end < 0 ? segments : segments.slice(0, end)).map(contentKey);
}
