import { type Segment, textOf } from '../../../prompt/prompt.ts';
import type { KindRule } from '../../kind-rule.ts';

export const restructured: KindRule = {
  kind: 'messages.restructured',
  advice:
    'Send each turn in the shape in which it was sent first: the same message borders, roles and blocks.',
  matches: (difference) => isContinuation(difference.newTail(), difference.oldTail()),
};

/** All that was said before is said again, from the start. Piece by piece, as two histories mostly part at once. */
function isContinuation(after: readonly Segment[], before: readonly Segment[]): boolean {
  let rest = '';
  let next = 0;
  let isSilent = true;
  for (const segment of before) {
    const said = saidIn(segment);
    while (rest.length < said.length && next < after.length) {
      rest += saidIn(after[next] as Segment);
      next += 1;
    }
    if (!rest.startsWith(said)) return false;
    rest = rest.slice(said.length);
    isSilent &&= said === '';
  }
  return !isSilent;
}

/** What is said, without borders and wrappers; identities of calls stay, since a moved call is more than a border. */
function saidIn(segment: Segment): string {
  const text = textOf(segment);
  const said = segment.kind === 'text' ? text : `\u0001${segment.callId ?? ''}${text}`;
  return said.replace(/\s+/g, '');
}
