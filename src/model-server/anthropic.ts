/** Anthropic Messages: `POST /v1/messages`. Shapes follow the types of `@anthropic-ai/sdk` 1.15.0. */
import type { Answer, AnswerContext, ApiModule, Chunk } from './answer.ts';
import { anthropicQuestion } from './anthropic-cache.ts';
import { type AnthropicEvent, anthropicEvents } from './anthropic-events.ts';
import { renderAnthropicPrompt } from './anthropic-prompt.ts';
import { rejectBadAnthropicRequest } from './anthropic-validation.ts';
import type { ProviderError } from './provider-error.ts';
import { ANTHROPIC, anthropicMinimumTokens } from './rules.ts';
import { tokensOfText } from './segments.ts';
import { namedEvent, SSE_TYPE } from './sse.ts';
import type { CacheFigures, JsonObject, Reply } from './types.ts';

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export const anthropicMessages: ApiModule = {
  api: 'anthropic.messages',
  // Foundry has it behind a folder of its own.
  path: /^(?:\/anthropic)?\/v1\/messages$/,
  isStreaming: (body) => body.stream === true,
  streamType: SSE_TYPE,
  requestIdHeader: 'request-id',

  answer: ({ body, model }, context) =>
    anthropicAnswer(body, context, {
      model,
      minimumTokens: anthropicMinimumTokens(model),
      frame: namedEvent,
    }),

  errorBody: (error, requestId) => ({
    type: 'error',
    error: { type: errorType(error), message: error.message },
    request_id: requestId,
  }),

  errorEvent: (error, requestId) =>
    namedEvent({
      type: 'error',
      error: { type: errorType(error), message: error.message },
      request_id: requestId,
    }),
};

/** What differs between the platforms that serve Claude. */
export interface AnthropicPlatform {
  /** As the answer names it. */
  readonly model: string;
  readonly minimumTokens: number;
  frame(event: AnthropicEvent): Chunk;
}

/** `body` names the model as Anthropic does, also where the platform has other names. */
export function anthropicAnswer(
  body: JsonObject,
  context: AnswerContext,
  { model, minimumTokens, frame }: AnthropicPlatform,
): Answer {
  rejectBadAnthropicRequest(body);
  const question = anthropicQuestion(body, renderAnthropicPrompt(body), {
    account: context.account,
    minimumTokens,
    nowMs: context.nowMs,
  });
  const { figures, commit } = context.state.boundaryCache.decide(question);
  const isPrewarm = body.max_tokens === 0;
  const content = isPrewarm ? [] : contentOf(context);
  const usage = usageOf(figures, content.length === 0 ? 0 : tokensOfText(JSON.stringify(content)));
  const message: JsonObject = {
    id: context.newId('msg_'),
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: isPrewarm ? 'max_tokens' : stopReasonOf(context.reply),
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: context.reply.diagnostics ?? null,
    usage,
  };
  return {
    figures,
    usage,
    json: message,
    *events(pieces) {
      for (const event of anthropicEvents(message, content, usage, pieces)) yield frame(event);
    },
    begin: commit,
  };
}

function errorType({ status }: ProviderError): string {
  return ERROR_TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

function contentOf({ reply, newId }: AnswerContext): JsonObject[] {
  const content: JsonObject[] = [];
  if (reply.thinking !== undefined) {
    // A signature is opaque; that it follows from the text keeps replays equal.
    const signature = Buffer.from(reply.thinking).toString('base64').slice(0, 32);
    content.push({ type: 'thinking', thinking: reply.thinking, signature });
  }
  if (reply.text !== undefined) content.push({ type: 'text', text: reply.text });
  for (const { id, name, input } of reply.toolCalls ?? []) {
    content.push({ type: 'tool_use', id: id ?? newId('toolu_'), name, input, caller: { type: 'direct' } });
  }
  return content;
}

function stopReasonOf(reply: Reply): string {
  return reply.toolCalls?.length ? 'tool_use' : 'end_turn';
}

function usageOf(figures: CacheFigures, outputTokens: number): JsonObject {
  const written = (ttl: '5m' | '1h') => figures.writtenTokensByTtlMs[ANTHROPIC.ttlMs[ttl] ?? 0] ?? 0;
  return {
    // Excludes what was read from or written to the cache.
    input_tokens: figures.inputTokens - figures.readTokens - figures.writtenTokens,
    cache_creation_input_tokens: figures.writtenTokens,
    cache_read_input_tokens: figures.readTokens,
    cache_creation: { ephemeral_5m_input_tokens: written('5m'), ephemeral_1h_input_tokens: written('1h') },
    output_tokens: outputTokens,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  };
}
