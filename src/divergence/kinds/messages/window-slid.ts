import type { Difference } from '../../difference.ts';
import type { KindRule } from '../../kind-rule.ts';
import { droppedInFront } from '../../recognise/messages.ts';

export const windowSlid: KindRule = {
  kind: 'messages.window_slid',
  advice:
    'Drop old messages in large steps and rarely (or compact once): a window that slides by one turn rewrites the whole history every time.',
  matches: (difference) =>
    isAtStart(difference) &&
    difference.old?.opensMessage === true &&
    difference.new?.opensMessage === true &&
    droppedInFront(difference.oldTail(), difference.newTail()) > 0,
  place: ({ new: now }) => now?.path.replace(/^(\w+\[\d+\]).*$/, '$1'),
};

/** Nothing but one opening message, kept on purpose, stands in front of the gap. */
function isAtStart({ old, before }: Difference): boolean {
  const first = before.segments[before.headLength]?.messageIndex ?? 0;
  return (old?.messageIndex ?? first) <= first + 1;
}
