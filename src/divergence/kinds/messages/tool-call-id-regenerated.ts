import type { Segment } from '../../../prompt/prompt.ts';
import type { KindRule } from '../../kind-rule.ts';
import { isSameKind } from '../../recognise/messages.ts';

const ID_SLOT = /(^|[.\]])(id|call_id|tool_use_id|tool_call_id|toolUseId)$/;

export const toolCallIdRegenerated: KindRule = {
  kind: 'messages.tool_call_id_regenerated',
  advice:
    'Store the ids of calls and items as the response gave them and replay those; never make them up again.',
  matches: (difference) =>
    isSameKind(difference) &&
    ID_SLOT.test(difference.leaf.new?.slot ?? difference.leaf.old?.slot ?? '') &&
    withoutIds(difference.old) === withoutIds(difference.new),
};

function withoutIds(segment: Segment | undefined): string {
  return (segment?.leaves ?? [])
    .map(({ slot, text }) => (ID_SLOT.test(slot) ? '' : `${slot}\u0001${text}`))
    .filter(Boolean)
    .join('\u0002');
}
