import type { KindRule } from '../../kind-rule.ts';
import { isPermutation, isSameJson } from '../../recognise/json-order.ts';
import { isSameKind } from '../../recognise/messages.ts';

export const toolArgsReserialized: KindRule = {
  kind: 'messages.tool_args_reserialized',
  advice:
    'Keep the text of tool arguments as the model wrote it; parsing and writing it again changes key order, spaces or number format.',
  matches: (difference) => {
    if (!isSameKind(difference) || difference.old?.kind !== 'tool_use') return false;
    const { old, new: now } = difference.leaf;
    if (old?.unknown && now)
      return old.unknown.isSame('json', now.text) || isPermutation(difference.old, difference.new);
    if (old && now && old.slot === now.slot && old.isString && now.isString && isSameJson(old.text, now.text))
      return true;
    return isPermutation(difference.old, difference.new);
  },
};
