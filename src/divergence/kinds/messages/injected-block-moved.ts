import type { Difference } from '../../difference.ts';
import type { KindRule } from '../../kind-rule.ts';
import { bareText } from '../../recognise/messages.ts';
import { INJECTED } from '../../recognise/text.ts';

export const injectedBlockMoved: KindRule = {
  kind: 'messages.injected_block_moved',
  advice:
    'Leave a reminder in the message in which it was first sent and append a new one, rather than moving it along to the newest message.',
  matches: (difference) => isMovedBlock(difference) || isMovedText(difference),
  place: ({ new: now }) => now?.path,
};

/** The removed block stands, equal or nearly, further back; or the new one stood further back before. */
function isMovedBlock(difference: Difference): boolean {
  const { old, new: now } = difference;
  if (old?.kind !== 'text' && now?.kind !== 'text') return false;
  const isGone =
    old !== undefined &&
    old.kind === 'text' &&
    stands(bareText(old), difference.newTail().slice(1).map(bareText));
  const isNew =
    now !== undefined &&
    now.kind === 'text' &&
    stands(bareText(now), difference.oldTail().slice(1).map(bareText));
  return (isGone || isNew) && INJECTED.test(`${difference.oldText}\n${difference.newText}`)
    ? true
    : isGone && !isNew && old?.role === 'user';
}

function stands(text: string, texts: readonly string[]): boolean {
  return text.length >= 8 && texts.some((other) => other === text || other.includes(text));
}

/** A reminder was cut out of a longer text and stands in a later message. */
function isMovedText(difference: Difference): boolean {
  const { span } = difference;
  if (span?.after.trim() !== '') return false;
  const removed = span.before
    .replace(/<\/?[a-zA-Z][\w-]*[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return stands(removed, difference.newTail().slice(1).map(bareText));
}
