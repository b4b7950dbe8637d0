import type { KindRule } from '../../kind-rule.ts';
import { isFoundLater } from '../../recognise/messages.ts';
import { isPlaceholder } from '../../recognise/text.ts';

export const deduplicated: KindRule = {
  kind: 'messages.deduplicated',
  advice:
    'Leave the first copy where it is and put the pointer into the new one: the old place is cached, the new one is not.',
  matches: (difference) =>
    difference.old !== undefined &&
    difference.new !== undefined &&
    isFoundLater(difference) &&
    (difference.old.callId === difference.new.callId || isPlaceholder(difference.newText)) &&
    (difference.old.kind === 'tool_result' || isPlaceholder(difference.newText)),
};
