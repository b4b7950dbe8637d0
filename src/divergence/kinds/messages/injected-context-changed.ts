import type { KindRule } from '../../kind-rule.ts';
import { INJECTED } from '../../recognise/text.ts';

export const injectedContextChanged: KindRule = {
  kind: 'messages.injected_context_changed',
  advice: 'Fix the injected context when the conversation starts and tell of changes in the newest message.',
  matches: (difference) => {
    const { old, new: now, before } = difference;
    const first = before.segments[before.headLength]?.messageIndex ?? 0;
    const isEarly = (now?.messageIndex ?? old?.messageIndex ?? 0) <= first + 1;
    if (!isEarly || now?.role === 'assistant' || (old ?? now)?.kind === 'tool_result') return false;
    return INJECTED.test(difference.oldText) || INJECTED.test(difference.newText);
  },
};
