import type { KindRule } from '../../kind-rule.ts';

export const toolChoice: KindRule = {
  kind: 'parameters.tool_choice',
  advice:
    'Keep `tool_choice` and the parallel-call setting fixed through a conversation: say in the message that tools are not wanted this time.',
  matches: ({ old, new: now }) =>
    /tool_?choice|toolConfig|parallel_tool_calls/i.test(old?.name ?? now?.name ?? ''),
};
