/** OpenAI Responses: `POST /v1/responses`. Shapes follow the types of `openai` 7.59.0. */
import type { Answer, AnswerContext, ApiModule } from './answer.ts';
import { decideOpenAi } from './openai-cache.ts';
import { openAiErrorBody } from './openai-errors.ts';
import { responsesEvents } from './openai-responses-events.ts';
import { inputItems, renderResponsesPrompt } from './openai-responses-prompt.ts';
import { ProviderError } from './provider-error.ts';
import { OPENAI } from './rules.ts';
import { isObject, tokensOfText } from './segments.ts';
import { namedEvent, SSE_TYPE } from './sse.ts';
import type { CacheFigures, JsonObject, ModelRequest } from './types.ts';

export const openAiResponses: ApiModule = {
  api: 'openai.responses',
  path: /^\/v1\/responses$/,
  isStreaming: (body) => body.stream === true,
  streamType: SSE_TYPE,
  requestIdHeader: 'x-request-id',

  answer({ body, model }: ModelRequest, context: AnswerContext): Answer {
    const items = itemsOf(body, context);
    const { figures, commit } = decideOpenAi(body, renderResponsesPrompt(body, items), context);
    // Prewarming writes the cache and makes nothing.
    const output = isPrewarm(body) ? [] : outputOf(context);
    const usage = usageOf(figures, output);
    const id = context.newId('resp_');
    const { diagnostics } = context.reply;
    const response: JsonObject = {
      id,
      object: 'response',
      created_at: Math.floor(context.nowMs / 1000),
      status: 'completed',
      model,
      output,
      error: null,
      incomplete_details: null,
      usage,
      ...echoOf(body),
      ...(diagnostics ? { prompt_cache_diagnostics: diagnostics } : {}),
    };
    return {
      figures,
      usage,
      json: response,
      events: (pieces) => responsesEvents(response, output, pieces),
      begin: () => {
        commit();
        if (body.store !== false) context.state.storedItems.set(id, [...items, ...output]);
      },
    };
  },

  errorBody: openAiErrorBody,
  errorEvent: ({ message, code, param }) =>
    namedEvent({
      type: 'error',
      code: code ?? 'server_error',
      message,
      param: param ?? null,
      sequence_number: 0,
    }),
};

function itemsOf(body: JsonObject, { state }: AnswerContext): JsonObject[] {
  if (body.conversation != null || body.prompt != null) {
    throw new ProviderError(400, "The model server knows neither 'conversation' nor 'prompt'.");
  }
  const items = inputItems(body.input);
  const previous = body.previous_response_id;
  if (typeof previous !== 'string') {
    if (items.length > 0) return items;
    throw new ProviderError(400, "Missing required parameter: 'input'.", { param: 'input' });
  }
  const stored = state.storedItems.get(previous);
  if (stored !== undefined) return [...stored, ...items];
  throw new ProviderError(400, `Previous response with id '${previous}' not found.`, {
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  });
}

function isPrewarm(body: JsonObject): boolean {
  const options = body.prompt_cache_options;
  return isObject(options) && options.prewarm === true;
}

function outputOf({ reply, newId }: AnswerContext): JsonObject[] {
  const output: JsonObject[] = [];
  if (reply.thinking !== undefined) {
    const summary = [{ type: 'summary_text', text: reply.thinking }];
    output.push({ type: 'reasoning', id: newId('rs_'), summary });
  }
  if (reply.text !== undefined) {
    const content = [{ type: 'output_text', text: reply.text, annotations: [], logprobs: [] }];
    output.push({ type: 'message', id: newId('msg_'), status: 'completed', role: 'assistant', content });
  }
  for (const { id, name, input } of reply.toolCalls ?? []) {
    const call = { id: newId('fc_'), call_id: id ?? newId('call_'), name, arguments: JSON.stringify(input) };
    output.push({ type: 'function_call', status: 'completed', ...call });
  }
  return output;
}

/** Request fields that the response repeats, with the API's defaults. */
function echoOf(body: JsonObject): JsonObject {
  return {
    instructions: body.instructions ?? null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
  };
}

function usageOf(figures: CacheFigures, output: readonly JsonObject[]): JsonObject {
  const { inputTokens, readTokens, writtenTokens, writtenTokensByTtlMs } = figures;
  const reasoning = output.filter(({ type }) => type === 'reasoning');
  const reasoningTokens = reasoning.reduce(
    (sum, { summary }) => sum + tokensOfText(JSON.stringify(summary)),
    0,
  );
  const outputTokens = output.length === 0 ? 0 : tokensOfText(JSON.stringify(output));
  const written = (ttl: '30m' | '12h') => writtenTokensByTtlMs[OPENAI.ttlMs[ttl] ?? 0] ?? 0;
  return {
    // Includes what was read and written.
    input_tokens: inputTokens,
    input_tokens_details: {
      cached_tokens: readTokens,
      // The type requires it for every model: 0 for those before GPT-5.6, which do not bill writes.
      cache_write_tokens: writtenTokens,
      cache_write_tokens_details: { ttl_30m_tokens: written('30m'), ttl_12h_tokens: written('12h') },
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}
