/**
 * The stream of a Messages answer. https://platform.claude.com/docs/en/build-with-claude/streaming
 * `message_start` holds all input figures with their split by TTL; `message_delta` repeats them, cumulative, without it.
 */
import { stringOf } from './segments.ts';
import type { Pieces } from './sse.ts';
import type { JsonObject } from './types.ts';

/** Each platform wraps the same events in its own way. */
export type AnthropicEvent = JsonObject & { readonly type: string };

export function* anthropicEvents(
  message: JsonObject,
  content: readonly JsonObject[],
  usage: JsonObject,
  pieces: Pieces,
): Iterable<AnthropicEvent> {
  const started = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  yield { type: 'message_start', message: started };
  yield { type: 'ping' };
  for (const [index, block] of content.entries()) {
    yield { type: 'content_block_start', index, content_block: emptyBlock(block) };
    for (const delta of deltasOf(block, pieces)) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  const { stop_reason, stop_sequence, stop_details, container } = message;
  yield {
    type: 'message_delta',
    delta: { stop_reason, stop_sequence, stop_details, container },
    usage: deltaUsage(usage),
  };
  yield { type: 'message_stop' };
}

function emptyBlock(block: JsonObject): JsonObject {
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' };
  return block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };
}

function* deltasOf(block: JsonObject, pieces: Pieces): Iterable<JsonObject> {
  if (block.type === 'thinking') {
    for (const thinking of pieces(stringOf(block.thinking))) yield { type: 'thinking_delta', thinking };
    yield { type: 'signature_delta', signature: block.signature };
  } else if (block.type === 'text') {
    for (const text of pieces(stringOf(block.text))) yield { type: 'text_delta', text };
  } else {
    // The API begins each tool input with an empty piece.
    yield { type: 'input_json_delta', partial_json: '' };
    const json = JSON.stringify(block.input);
    for (const partial_json of pieces(json)) yield { type: 'input_json_delta', partial_json };
  }
}

function deltaUsage(usage: JsonObject): JsonObject {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
  return {
    input_tokens,
    cache_creation_input_tokens,
    cache_read_input_tokens,
    output_tokens,
    output_tokens_details: null,
    server_tool_use: null,
  };
}
