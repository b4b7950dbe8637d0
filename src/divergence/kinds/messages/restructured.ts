import { type Segment, textOf } from '../../../prompt/prompt.ts';
import type { KindRule } from '../../kind-rule.ts';

export const restructured: KindRule = {
  kind: 'messages.restructured',
  advice:
    'Send each turn in the shape in which it was sent first: the same message borders, roles and blocks.',
  matches: (difference) => {
    const before = difference.oldTail();
    if (before.length === 0) return false;
    const [oldText, newText] = [joined(before), joined(difference.newTail())];
    return oldText.length > 0 && newText.startsWith(oldText);
  },
};

/** What is said, without borders and wrappers; identities of calls stay, since a moved call is more than a border. */
function joined(segments: readonly Segment[]): string {
  return segments
    .map((segment) =>
      segment.kind === 'text' ? textOf(segment) : `\u0001${segment.callId ?? ''}${textOf(segment)}`,
    )
    .join('')
    .replace(/\s+/g, '');
}
