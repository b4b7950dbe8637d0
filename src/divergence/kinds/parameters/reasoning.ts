import type { KindRule } from '../../kind-rule.ts';

export const reasoning: KindRule = {
  kind: 'parameters.reasoning',
  advice:
    'Keep thinking and effort fixed through a conversation: some models render them in front of everything. OpenAI (GPT-6) takes a `configuration_update` item, Anthropic (beta) an effort message, without losing the prefix.',
  matches: ({ old, new: now }) =>
    /^(think|thinking|thinkingConfig|reasoning|reasoning_effort|output_config(\.effort)?)$/.test(
      old?.name ?? now?.name ?? '',
    ),
};
