import type { Difference } from '../../difference.ts';
import type { KindRule } from '../../kind-rule.ts';
import { bareText, droppedInFront } from '../../recognise/messages.ts';

export const windowSlid: KindRule = {
  kind: 'messages.window_slid',
  advice:
    'Drop old messages in large steps and rarely (or compact once): a window that slides by one turn rewrites the whole history every time.',
  matches: (difference) =>
    isAtStart(difference) &&
    difference.old?.opensMessage === true &&
    difference.new?.opensMessage === true &&
    isDropped(difference),
  place: ({ new: now }) => now?.path.replace(/^(\w+\[\d+\]).*$/, '$1'),
};

/** Messages went, and did not come back further on: those that do were moved. */
function isDropped(difference: Difference): boolean {
  const dropped = droppedInFront(difference.oldTail(), difference.newTail());
  if (dropped <= 0) return false;
  const gone = difference.oldTail().slice(0, dropped).map(bareText);
  const appended = new Set(
    difference
      .newTail()
      .slice(difference.oldTail().length - dropped)
      .map(bareText),
  );
  return !gone.every((text) => text !== '' && appended.has(text));
}

/** Nothing but one opening message, kept on purpose, stands in front of the gap. */
function isAtStart({ old, before }: Difference): boolean {
  const first = before.segments[before.headLength]?.messageIndex ?? 0;
  return (old?.messageIndex ?? first) <= first + 1;
}
