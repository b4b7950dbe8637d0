/**
 * Bedrock Converse: `POST /model/ID/converse` and `converse-stream`. Shapes follow the types of
 * `@aws-sdk/client-bedrock-runtime` 3.1164.0.
 */
import { Buffer } from 'node:buffer';
import type { Answer, AnswerContext, ApiModule } from './answer.ts';
import { breakpointQuestion, explicitBreakpoints } from './anthropic-cache.ts';
import { BEDROCK_WIRE } from './bedrock-errors.ts';
import { converseEvents } from './bedrock-events.ts';
import { anthropicModelOf } from './bedrock-model.ts';
import { renderConversePrompt } from './bedrock-prompt.ts';
import { ProviderError } from './provider-error.ts';
import { ANTHROPIC, bedrockMinimumTokens } from './rules.ts';
import { objectsOf, tokensOfText } from './segments.ts';
import type { CacheFigures, JsonObject, ModelRequest } from './types.ts';

export const bedrockConverse: ApiModule = {
  ...BEDROCK_WIRE,
  api: 'bedrock.converse',
  path: /^\/model\/(?<model>[^/]+)\/converse(?:-stream)?$/,
  isStreaming: (_body, path) => path.endsWith('-stream'),

  answer({ body, model }: ModelRequest, context: AnswerContext): Answer {
    if (objectsOf(body.messages).length === 0) {
      throw new ProviderError(400, 'A conversation must start with a user message.');
    }
    const { account, nowMs } = context;
    const segments = renderConversePrompt(body);
    const minimumTokens = bedrockMinimumTokens(anthropicModelOf(model));
    const asking = { account, minimumTokens, nowMs };
    const question = breakpointQuestion(model, segments, explicitBreakpoints(segments), asking);
    const { figures, commit } = context.state.boundaryCache.decide(question);
    const content = contentOf(context);
    const stopReason = context.reply.toolCalls?.length ? 'tool_use' : 'end_turn';
    const usage = usageOf(figures, tokensOfText(JSON.stringify(content)));
    const metrics = { latencyMs: 1 };
    return {
      figures,
      usage,
      json: { metrics, output: { message: { content, role: 'assistant' } }, stopReason, usage },
      events: (pieces) => converseEvents(content, stopReason, { metrics, usage }, pieces),
      begin: commit,
    };
  },
};

function contentOf({ reply, newId }: AnswerContext): JsonObject[] {
  const content: JsonObject[] = [];
  if (reply.thinking !== undefined) {
    const signature = Buffer.from(reply.thinking).toString('base64').slice(0, 32);
    content.push({ reasoningContent: { reasoningText: { text: reply.thinking, signature } } });
  }
  if (reply.text !== undefined) content.push({ text: reply.text });
  for (const { id, name, input } of reply.toolCalls ?? []) {
    content.push({ toolUse: { toolUseId: id ?? newId('tooluse_'), name, input } });
  }
  return content;
}

function usageOf(figures: CacheFigures, outputTokens: number): JsonObject {
  const { inputTokens, readTokens, writtenTokens, writtenTokensByTtlMs } = figures;
  const written = (ttl: '1h' | '5m') => writtenTokensByTtlMs[ANTHROPIC.ttlMs[ttl] ?? 0] ?? 0;
  return {
    // Excludes what was read from or written to the cache; the total has all.
    inputTokens: inputTokens - readTokens - writtenTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cacheReadInputTokens: readTokens,
    cacheWriteInputTokens: writtenTokens,
    cacheDetails: (['1h', '5m'] as const)
      .filter((ttl) => written(ttl) > 0)
      .map((ttl) => ({ ttl, inputTokens: written(ttl) })),
  };
}
