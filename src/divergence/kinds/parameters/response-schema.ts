import type { KindRule } from '../../kind-rule.ts';

export const responseSchema: KindRule = {
  kind: 'parameters.response_schema',
  advice:
    'The output schema is rendered in front of the system prompt: use one schema for the conversation (a union, or a tool for the special answer).',
  matches: ({ old, new: now }) =>
    /^(response_format|text\.format|text\.verbosity|verbosity|output_config\.format|response(Schema|JsonSchema|MimeType))$/.test(
      old?.name ?? now?.name ?? '',
    ),
};
