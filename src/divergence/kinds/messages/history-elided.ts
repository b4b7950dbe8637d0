import type { KindRule } from '../../kind-rule.ts';
import { droppedInFront } from '../../recognise/messages.ts';
import { isStubOf } from '../../recognise/text.ts';

export const historyElided: KindRule = {
  kind: 'messages.history_elided',
  advice:
    'Leave old messages as they are, or shorten many of them in one rare step: a border of elision that moves each turn rewrites the history each turn.',
  matches: (difference) => {
    const { old, new: now } = difference;
    if (!old) return false;
    if (!now || droppedInFront(difference.oldTail(), difference.newTail()) > 0) return true;
    if (difference.leaf.old?.unknown?.isSame('placeholder', difference.newText)) return false;
    return isStubOf(difference.newText, difference.oldText);
  },
};
