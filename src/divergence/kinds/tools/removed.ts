import type { KindRule } from '../../kind-rule.ts';
import { changedTools } from '../../recognise/tools.ts';

export const removed: KindRule = {
  kind: 'tools.removed',
  advice:
    'Keep the tool declared and forbid its use instead: `tool_choice`, `allowed_tools` or an error result. A side call such as a summary keeps the cache when it sends the same tools and system and asks in its last message.',
  matches: (difference) => {
    const { removed: gone } = changedTools(difference);
    return gone.some(({ name }) => name === difference.old?.name);
  },
  place: (difference) => difference.new?.path ?? difference.old?.path,
};
