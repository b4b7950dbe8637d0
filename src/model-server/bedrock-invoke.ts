/**
 * Bedrock InvokeModel with the body of an Anthropic model: `POST /model/ID/invoke` and `invoke-with-response-stream`.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html
 */
import { Buffer } from 'node:buffer';
import type { Answer, AnswerContext, ApiModule } from './answer.ts';
import { anthropicAnswer } from './anthropic.ts';
import { eventFrame } from './aws-event-stream.ts';
import { BEDROCK_WIRE } from './bedrock-errors.ts';
import { anthropicModelOf } from './bedrock-model.ts';
import { ProviderError } from './provider-error.ts';
import { bedrockMinimumTokens } from './rules.ts';
import type { ModelRequest } from './types.ts';

export const bedrockInvoke: ApiModule = {
  ...BEDROCK_WIRE,
  api: 'anthropic.messages',
  path: /^\/model\/(?<model>[^/]+)\/invoke(?:-with-response-stream)?$/,
  isStreaming: (_body, path) => path.endsWith('-with-response-stream'),

  answer({ body, model: modelId }: ModelRequest, context: AnswerContext): Answer {
    if (typeof body.anthropic_version !== 'string') {
      throw new ProviderError(400, 'anthropic_version: Field required');
    }
    for (const name of ['model', 'stream', 'cache_control']) {
      // Automatic caching is a feature of Anthropic's own API.
      if (name in body) throw new ProviderError(400, `${name}: Extra inputs are not permitted`);
    }
    const model = anthropicModelOf(modelId);
    return anthropicAnswer({ ...body, model }, context, {
      model,
      minimumTokens: bedrockMinimumTokens(model),
      frame: (event) => eventFrame('chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64') }),
    });
  },
};
