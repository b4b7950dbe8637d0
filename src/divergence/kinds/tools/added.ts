import type { KindRule } from '../../kind-rule.ts';
import { changedTools } from '../../recognise/tools.ts';

export const added: KindRule = {
  kind: 'tools.added',
  advice:
    'Declare every tool from the first call on, or add late ones behind the prefix: Anthropic `tool_addition` blocks or `defer_loading` with tool search, OpenAI `tool_choice` with `allowed_tools` over a fixed list.',
  matches: (difference) => {
    const { added: late } = changedTools(difference);
    return late.some(({ name }) => name === difference.new?.name);
  },
  place: (difference) => difference.new?.path,
};
