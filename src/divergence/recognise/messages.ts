/** Questions that several rules of the messages ask about the old and the new history. */
import { type Segment, textOf } from '../../prompt/prompt.ts';
import type { Difference } from '../difference.ts';

export function isSameKind(difference: Difference): boolean {
  return difference.old !== undefined && difference.old.kind === difference.new?.kind;
}

/** Shortest text that is worth looking for elsewhere: shorter ones occur by chance. */
const FINDABLE_CHARACTERS = 8;

/** The removed text stands, unchanged, in a message of the new prompt that the old one did not have. */
export function isFoundLater(difference: Difference): boolean {
  const text = textOf(difference.old as Segment).trim();
  if (text.length < FINDABLE_CHARACTERS) return false;
  const old = new Set(
    difference
      .oldTail()
      .slice(1)
      .map((segment) => textOf(segment).trim()),
  );
  return difference
    .newTail()
    .slice(1)
    .some((segment) => segment.kind !== 'tool_use' && textOf(segment).trim() === text && !old.has(text));
}

/** How many leading segments of `before`, dropped, make the rest the start of `after`; -1 where none do. */
export function droppedInFront(before: readonly Segment[], after: readonly Segment[]): number {
  const [oldKeys, newKeys] = [before.map(keyWithBorder), after.map(keyWithBorder)];
  for (let dropped = 1; dropped < oldKeys.length; dropped += 1) {
    if (oldKeys[dropped] !== newKeys[0]) continue;
    // The newest old message may be written anew while the window slides, so the run need not reach the end.
    const rest = oldKeys.slice(dropped);
    let run = 0;
    while (run < rest.length && rest[run] === newKeys[run]) run += 1;
    if (run === rest.length || run >= Math.max(2, rest.length / 2)) return dropped;
  }
  return -1;
}

function keyWithBorder(segment: Segment): string {
  // Ids may be made up by position: what is said decides.
  return `${segment.role ?? ''}${segment.opensMessage ? '>' : '+'}${segment.kind}${textOf(segment)}`;
}

/** Tags are short; a bound keeps a text full of `<` from taking quadratic time. */
const TAG = /<\/?[a-zA-Z][\w-]{0,60}[^<>]{0,200}>/g;

export function untagged(text: string): string {
  return text.replace(TAG, '').replace(/\s+/g, ' ').trim();
}

/** Text without the tags that a client wraps it in, for "equal, or nearly". */
export function bareText(segment: Segment): string {
  return untagged(textOf(segment));
}

export function messageCount(segments: readonly Segment[]): number {
  return new Set(segments.map(({ messageIndex }) => messageIndex)).size;
}
