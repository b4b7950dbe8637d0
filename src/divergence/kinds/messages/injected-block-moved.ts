import type { Segment } from '../../../prompt/prompt.ts';
import type { Difference } from '../../difference.ts';
import type { KindRule } from '../../kind-rule.ts';
import { bareText } from '../../recognise/messages.ts';
import { INJECTED } from '../../recognise/text.ts';

export const injectedBlockMoved: KindRule = {
  kind: 'messages.injected_block_moved',
  advice:
    'Leave a reminder in the message in which it was first sent and append a new one, rather than moving it along to the newest message.',
  matches: (difference) => isMovedBlock(difference) || isMovedText(difference),
  place: movedFrom,
};

/** The removed block stands, equal or nearly, further back; or the new one stood further back before. */
function isMovedBlock(difference: Difference): boolean {
  const { old, new: now } = difference;
  const isGone = isBlock(old) && standsIn(bareText(old), behind(difference.newTail(), old));
  const isNew = isBlock(now) && standsIn(bareText(now), behind(difference.oldTail(), now));
  if (!isGone && !isNew) return false;
  if (INJECTED.test(`${difference.oldText}\n${difference.newText}`)) return true;
  return isGone && !isNew && old?.role === 'user';
}

function isBlock(segment: Segment | undefined): segment is Segment {
  return segment?.kind === 'text';
}

/** What comes after, and the parting segment itself where it is another role's or was wrapped otherwise. */
function behind(tail: readonly Segment[], moved: Segment): string[] {
  const [parting, ...rest] = tail;
  const isElsewhere = parting !== undefined && parting.role !== moved.role;
  return (isElsewhere ? tail : rest).map(bareText);
}

const SHORTEST_CHARACTERS = 8;

function standsIn(text: string, texts: readonly string[]): boolean {
  return text.length >= SHORTEST_CHARACTERS && texts.some((other) => other === text || other.includes(text));
}

/** A reminder was cut out of a longer text and stands in a later message. */
function isMovedText(difference: Difference): boolean {
  const { span } = difference;
  if (span?.after.trim() !== '') return false;
  const removed = span.before
    .replace(/<\/?[a-zA-Z][\w-]*[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return standsIn(removed, difference.newTail().slice(1).map(bareText));
}

/** A part at the end of its message leaves no trace in the new one: the slot where it was is the place. */
function movedFrom({ old, new: now, span }: Difference): string | undefined {
  if (span || !now) return undefined;
  const isLastPartGone = old !== undefined && old.opensMessage !== true && now.opensMessage === true;
  return isLastPartGone ? old.path : now.path;
}
