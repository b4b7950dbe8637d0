/**
 * Response bodies of the three official APIs, short and complete, for scripted servers.
 */
import type { ScriptedReply } from './scripted-server.ts';

const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json', 'request-id': 'req_1', 'x-request-id': 'req_1' };

export const ANTHROPIC_USAGE = {
  input_tokens: 12,
  output_tokens: 3,
  cache_creation_input_tokens: 100,
  cache_read_input_tokens: 2000,
  cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 0 },
  service_tier: 'standard',
};

export const CHAT_USAGE = {
  prompt_tokens: 2112,
  completion_tokens: 3,
  total_tokens: 2115,
  prompt_tokens_details: { cached_tokens: 1920 },
};

export const RESPONSES_USAGE = {
  input_tokens: 2112,
  output_tokens: 3,
  total_tokens: 2115,
  input_tokens_details: { cached_tokens: 1920 },
  output_tokens_details: { reasoning_tokens: 0 },
};

export function jsonReply(body: unknown, status = 200): ScriptedReply {
  return { status, headers: JSON_TYPE, chunks: [JSON.stringify(body)] };
}

/** Each event is a chunk of its own. `data` that is text goes out as it is. */
export function eventReply(
  events: readonly { readonly name?: string; readonly data: unknown }[],
  afterwards: ScriptedReply['afterwards'] = 'end',
): ScriptedReply {
  const chunks = events.map(({ name, data }) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
  });
  return { headers: EVENT_STREAM, chunks, afterwards };
}

export function anthropicMessage(
  content: readonly unknown[],
  stopReason = 'end_turn',
): Record<string, unknown> {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-5-20260601',
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: ANTHROPIC_USAGE,
  };
}

export function anthropicEvents(texts: readonly string[]): { name: string; data: unknown }[] {
  const named = (data: { type: string; [field: string]: unknown }) => ({ name: data.type, data });
  return [
    named({
      type: 'message_start',
      message: { ...anthropicMessage([]), stop_reason: null, diagnostics: null },
    }),
    named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    named({ type: 'ping' }),
    ...texts.map((text) =>
      named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    ),
    named({ type: 'content_block_stop', index: 0 }),
    named({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: {
        input_tokens: 12,
        output_tokens: 3,
        cache_creation_input_tokens: null,
        cache_read_input_tokens: 2000,
      },
    }),
    named({ type: 'message_stop' }),
  ];
}

export function chatCompletion(
  message: Record<string, unknown>,
  finishReason = 'stop',
): Record<string, unknown> {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-5.5-2026-04-01',
    service_tier: 'default',
    choices: [
      { index: 0, message: { role: 'assistant', refusal: null, ...message }, finish_reason: finishReason },
    ],
    usage: CHAT_USAGE,
  };
}

export function chatEvents(texts: readonly string[], hasUsage = true): { data: unknown }[] {
  const chunk = (choices: unknown[], usage?: unknown) => ({
    data: {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'gpt-5.5-2026-04-01',
      choices,
      ...(hasUsage && { usage: usage ?? null }),
    },
  });
  return [
    chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
    ...texts.map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
    ...(hasUsage ? [chunk([], CHAT_USAGE)] : []),
    { data: '[DONE]' },
  ];
}

export function responsesResponse(text: string): Record<string, unknown> {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'gpt-6.1-sol',
    error: null,
    incomplete_details: null,
    instructions: null,
    output: [
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    parallel_tool_calls: true,
    service_tier: 'default',
    tools: [],
    prompt_cache_diagnostics: { type: 'cache_hit' },
    usage: RESPONSES_USAGE,
  };
}

export function responsesEvents(texts: readonly string[]): { name: string; data: unknown }[] {
  const named = (data: { type: string; [field: string]: unknown }) => ({ name: data.type, data });
  const whole = responsesResponse(texts.join(''));
  return [
    named({
      type: 'response.created',
      sequence_number: 0,
      response: { ...whole, status: 'in_progress', output: [], usage: null, prompt_cache_diagnostics: null },
    }),
    named({
      type: 'response.output_item.added',
      output_index: 0,
      sequence_number: 1,
      item: { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] },
    }),
    named({
      type: 'response.content_part.added',
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      sequence_number: 2,
      part: { type: 'output_text', text: '', annotations: [] },
    }),
    ...texts.map((delta, at) =>
      named({
        type: 'response.output_text.delta',
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        sequence_number: 3 + at,
        delta,
        logprobs: [],
      }),
    ),
    named({ type: 'response.completed', sequence_number: 99, response: whole }),
  ];
}
