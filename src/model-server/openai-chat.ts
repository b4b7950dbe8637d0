/** OpenAI Chat Completions: `POST /v1/chat/completions`. Shapes follow the types of `openai` 7.59.0. */
import type { Answer, AnswerContext, ApiModule } from './answer.ts';
import { decideOpenAi, defaultTtlMs, writesToCache } from './openai-cache.ts';
import { chatEvents } from './openai-chat-events.ts';
import { openAiErrorBody } from './openai-errors.ts';
import {
  contentSegments,
  type OpenAiPrompt,
  renderOpenAiPrompt,
  serviceTierSetting,
  setting,
  type Turn,
  toolSegment,
} from './openai-prompt.ts';
import { ProviderError } from './provider-error.ts';
import { isObject, objectsOf, renderFields, type Segment, stringOf, tokensOfText } from './segments.ts';
import { dataEvent, SSE_TYPE } from './sse.ts';
import type { CacheFigures, JsonObject, ModelRequest, Reply } from './types.ts';

export const openAiChat: ApiModule = {
  api: 'openai.chat',
  path: /^\/v1\/chat\/completions$/,
  isStreaming: (body) => body.stream === true,
  streamType: SSE_TYPE,
  requestIdHeader: 'x-request-id',

  answer({ body, model }: ModelRequest, context: AnswerContext): Answer {
    rejectBadRequest(body);
    const { figures, commit } = decideOpenAi(body, renderChatPrompt(body), context);
    const message = messageOf(context);
    const usage = usageOf(figures, context.reply, message, writesToCache(body));
    const completion: JsonObject = {
      id: context.newId('chatcmpl-'),
      object: 'chat.completion',
      created: Math.floor(context.nowMs / 1000),
      model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(message) }],
      usage,
      service_tier: 'default',
    };
    const streamOptions = body.stream_options;
    const includesUsage = isObject(streamOptions) && streamOptions.include_usage === true;
    return {
      figures,
      usage,
      json: completion,
      events: (pieces) => chatEvents(completion, message, includesUsage, pieces),
      begin: commit,
    };
  },

  errorBody: openAiErrorBody,
  errorEvent: (error) => dataEvent(openAiErrorBody(error)),
};

function rejectBadRequest(body: JsonObject): void {
  if (objectsOf(body.messages).length === 0) {
    throw new ProviderError(400, "Missing required parameter: 'messages'.", { param: 'messages' });
  }
  const options = body.prompt_cache_options;
  const ttl = isObject(options) ? options.ttl : undefined;
  // 12 hours exist on Responses only.
  if (ttl !== undefined && ttl !== '30m') {
    throw new ProviderError(400, `Invalid value: '${ttl}'. Supported values are: '30m'.`, {
      param: 'prompt_cache_options.ttl',
    });
  }
}

function renderChatPrompt(body: JsonObject): OpenAiPrompt {
  const settings = [
    ...setting('response_format', body.response_format, { type: 'text' }),
    ...setting('reasoning_effort', body.reasoning_effort),
    ...setting('verbosity', body.verbosity, 'medium'),
    ...setting('parallel_tool_calls', body.parallel_tool_calls, true),
    ...serviceTierSetting(body.service_tier),
  ];
  const tools = [...objectsOf(body.tools), ...objectsOf(body.functions)].map(toolSegment);
  const turns = objectsOf(body.messages).map((message) => turnOf(message, defaultTtlMs(body)));
  return renderOpenAiPrompt(settings, tools, turns);
}

function turnOf(message: JsonObject, ttlMs: number): Turn {
  const role = stringOf(message.role);
  // Names, call ids and the like; what is rendered below, or is not part of the prompt, is left out.
  const others = renderFields(message, ['role', 'content', 'tool_calls', 'refusal', 'annotations']);
  const head = others === '' ? role : `${role} ${others}`;
  const content = contentSegments(head, message.content, ttlMs);
  const segments: Segment[] = [
    ...(content.length > 0 ? content : [{ kind: 'block' as const, text: head }]),
    ...objectsOf(message.tool_calls).map(callSegment),
  ];
  if (role === 'system' || role === 'developer') return { role: 'developer', segments };
  if (role === 'tool' || role === 'function') return { role: 'tool', segments };
  return { role: role === 'user' ? 'user' : 'assistant', segments };
}

function callSegment(call: JsonObject): Segment {
  const inner = isObject(call.function) ? renderFields(call.function) : '';
  return { kind: 'tool_use', text: `call\n${renderFields(call, ['function'])}\n${inner}` };
}

function messageOf({ reply, newId }: AnswerContext): JsonObject {
  const calls = (reply.toolCalls ?? []).map(({ id, name, input }) => ({
    id: id ?? newId('call_'),
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  const toolCalls = calls.length > 0 ? { tool_calls: calls } : {};
  return { role: 'assistant', content: reply.text ?? null, refusal: null, annotations: [], ...toolCalls };
}

function finishReasonOf(message: JsonObject): string {
  return message.tool_calls === undefined ? 'stop' : 'tool_calls';
}

function usageOf(figures: CacheFigures, reply: Reply, message: JsonObject, hasWrites: boolean): JsonObject {
  // Chat Completions does not show thinking, only bills it.
  const reasoning = tokensOfText(reply.thinking ?? '');
  const completion = reasoning + tokensOfText(JSON.stringify([message.content, message.tool_calls]));
  const { inputTokens, readTokens, writtenTokens } = figures;
  return {
    // Includes what was read and written.
    prompt_tokens: inputTokens,
    completion_tokens: completion,
    total_tokens: inputTokens + completion,
    prompt_tokens_details: {
      cached_tokens: readTokens,
      audio_tokens: 0,
      // Models before GPT-5.6 have no write count.
      ...(hasWrites ? { cache_write_tokens: writtenTokens } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
