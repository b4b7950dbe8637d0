import { textOf } from '../../../prompt/prompt.ts';
import type { KindRule } from '../../kind-rule.ts';
import { isSameKind } from '../../recognise/messages.ts';
import { normalised } from '../../recognise/normalised.ts';

export const textNormalized: KindRule = {
  kind: 'messages.text_normalized',
  advice:
    'Keep stored texts byte for byte: no trimming, no Unicode normalisation, no other escapes or line ends on the way back.',
  matches: (difference) => {
    if (!isSameKind(difference) || !difference.old || !difference.new) return false;
    const [before, after] = [textOf(difference.old), textOf(difference.new)];
    const unknown = difference.leaf.old?.unknown;
    if (unknown) return unknown.isSame('normalised', difference.leaf.new?.text ?? '');
    return before !== after && normalised(before) === normalised(after);
  },
};
