/**
 * Claude on Google Cloud: `POST …/publishers/anthropic/models/ID:rawPredict` and `:streamRawPredict`. The answers and
 * their stream are Anthropic's own. https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude
 */

import type { ApiModule } from './answer.ts';
import { anthropicAnswer, anthropicMessages } from './anthropic.ts';
import { anthropicMinimumTokens } from './rules.ts';
import { namedEvent } from './sse.ts';

export const vertexAnthropic: ApiModule = {
  ...anthropicMessages,
  path: /\/publishers\/anthropic\/models\/(?<model>[^/:]+):(?:rawPredict|streamRawPredict)$/,
  isStreaming: (_body, path) => path.endsWith(':streamRawPredict'),

  answer({ body, model: modelId }, context) {
    // A version may follow the name: `claude-sonnet-4-5@20250929`.
    const [model = modelId] = modelId.split('@');
    return anthropicAnswer({ ...body, model }, context, {
      model,
      minimumTokens: anthropicMinimumTokens(model),
      frame: namedEvent,
    });
  },
};
