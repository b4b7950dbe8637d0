import type { Difference } from '../../difference.ts';
import type { KindRule } from '../../kind-rule.ts';
import { droppedInFront } from '../../recognise/messages.ts';

export const windowSlid: KindRule = {
  kind: 'messages.window_slid',
  advice:
    'Drop old messages in large steps and rarely (or compact once): a window that slides by one turn rewrites the whole history every time.',
  matches: (difference) =>
    isAtStart(difference) &&
    droppedInFront(difference.oldTail(), difference.newTail()) > 0 &&
    isWholeMessage(difference),
  place: ({ new: now, component }) =>
    now?.messageIndex === undefined ? undefined : messagePath(now.path, now.messageIndex, component),
};

/** Nothing but an opening message that was kept on purpose stands in front of the gap. */
function isAtStart({ old, before }: Difference): boolean {
  const first = before.segments[before.headLength]?.messageIndex ?? 0;
  return (old?.messageIndex ?? first) <= first;
}

function isWholeMessage({ old, new: now }: Difference): boolean {
  return old?.opensMessage === true && now?.opensMessage === true;
}

/** `messages[3]` of `messages[3].content[0]`. */
function messagePath(path: string, _index: number, _component: string): string {
  return path.replace(/^(\w+\[\d+\]).*$/, '$1');
}
