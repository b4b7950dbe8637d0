import type { KindRule } from '../../kind-rule.ts';
import { isSameKind } from '../../recognise/messages.ts';
import { isExplainedBy, isVolatileChange } from '../../recognise/volatile.ts';

export const volatileValue: KindRule = {
  kind: 'messages.volatile_value',
  advice:
    'Write a time, id or counter into a message once, when it is made; never render stored history again from a template.',
  matches: (difference) => {
    const { span } = difference;
    return (
      isSameKind(difference) &&
      span !== undefined &&
      (isVolatileChange(span) || isExplainedBy(span, ['number']))
    );
  },
};
