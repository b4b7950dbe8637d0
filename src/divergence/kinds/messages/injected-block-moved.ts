import { type Segment, textOf } from '../../../prompt/prompt.ts';
import type { Difference } from '../../difference.ts';
import type { KindRule } from '../../kind-rule.ts';
import { bareText, untagged } from '../../recognise/messages.ts';
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
  const isGone = isBlock(old) && stands(old, behind(difference.newTail(), old));
  const isNew = isBlock(now) && stands(now, behind(difference.oldTail(), now));
  if (!isGone && !isNew) return false;
  if (INJECTED.test(`${difference.oldText}\n${difference.newText}`)) return true;
  return isGone && old?.role === 'user' && (!isNew || isCarriedAlong(difference, old));
}

/** What came after it moved up, and the block itself stands only in what was appended: no one says that twice. */
function isCarriedAlong(difference: Difference, old: Segment): boolean {
  const text = bareText(old);
  if (text.length < TELLING_CHARACTERS) return false;
  const opening = openingWords(text);
  return !difference
    .oldTail()
    .slice(1)
    .some((other) => opening.test(textOf(other)) && bareText(other) === text);
}

function isBlock(segment: Segment | undefined): segment is Segment {
  return segment?.kind === 'text';
}

/** What comes after, and the parting segment itself where it is another role's or was wrapped otherwise. */
function behind(tail: readonly Segment[], moved: Segment): readonly Segment[] {
  const [parting, ...rest] = tail;
  const isElsewhere = parting !== undefined && parting.role !== moved.role;
  return isElsewhere ? tail : rest;
}

const SHORTEST_CHARACTERS = 8;
/** A person repeats a short turn, not a long one. */
const TELLING_CHARACTERS = 24;

/** Word for word, or without the tags around it. */
function stands(block: Segment, others: readonly Segment[]): boolean {
  const text = textOf(block);
  if (text.length >= SHORTEST_CHARACTERS && others.some((other) => textOf(other) === text)) return true;
  return standsIn(bareText(block), others);
}

/** Taking tags out of a whole history takes long: only a text that holds the first words is looked at closely. */
function standsIn(text: string, others: readonly Segment[]): boolean {
  if (text.length < SHORTEST_CHARACTERS) return false;
  const opening = openingWords(text);
  return others.some((other) => opening.test(textOf(other)) && bareText(other).includes(text));
}

const OPENING_WORDS = 8;

/** The first words of a bare text, with whatever tags and spaces may stand between them. */
function openingWords(text: string): RegExp {
  const words = text.split(' ', OPENING_WORDS).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(words.join('(?:\\s|<[^<>]{0,260}>)+'));
}

/** A reminder was cut out of a longer text and stands in a later message. */
function isMovedText(difference: Difference): boolean {
  const { span } = difference;
  if (span?.after.trim() !== '') return false;
  return standsIn(untagged(span.before), difference.newTail().slice(1));
}

/** A part at the end of its message leaves no trace in the new one: the slot where it was is the place. */
function movedFrom({ old, new: now, span }: Difference): string | undefined {
  if (span || !now) return undefined;
  const isLastPartGone = old !== undefined && old.opensMessage !== true && now.opensMessage === true;
  return isLastPartGone ? old.path : now.path;
}
