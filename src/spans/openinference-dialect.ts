/**
 * OpenInference: `input.value` holds the whole body of the request as JSON, cache marks and settings with it. Where it is
 * masked or of another form, the messages are put together from one attribute for each of their fields.
 */
import type { JsonObject, JsonValue } from '../exchange.ts';
import { isJsonObject, numberIn, objectIn, stringIn } from '../json-value.ts';
import { guessApi } from '../prompt/guess-api.ts';
import type { SpanDialect } from './dialect.ts';
import { objectsIn, type TracedBody, tracedBody, unpacked } from './genai-messages.ts';
import { nestedList } from './nested.ts';

export const openInference: SpanDialect = {
  isModelCall: (attributes) => attributes['openinference.span.kind'] === 'LLM',
  bodyOf: (attributes) => wholeBody(attributes) ?? bodyOfMessages(attributes),
  threadOf: (attributes) => stringIn(attributes['session.id']),
  responseOf: ({ attributes }) => ({
    id: undefined,
    model: stringIn(attributes['llm.response.model_name']) ?? stringIn(attributes['llm.model_name']),
    usage: usageOf(attributes),
  }),
};

function wholeBody(attributes: JsonObject): TracedBody | undefined {
  const body = objectIn(unpacked(attributes['input.value']));
  const api = guessApi(body);
  if (body === undefined || api === undefined) return undefined;
  // The model may stand in the URL, and then only on the span.
  return { api, body: body.model === undefined ? { ...body, model: modelOf(attributes) } : body };
}

function bodyOfMessages(attributes: JsonObject): TracedBody | undefined {
  const messages = nestedList(attributes, 'llm.input_messages');
  if (messages === undefined) return undefined;
  return tracedBody({
    model: modelOf(attributes),
    provider: stringIn(attributes['llm.provider']) ?? stringIn(attributes['llm.system']),
    messages: messages.map(({ message }) => messageOf(objectIn(message) ?? {})),
    tools: nestedList(attributes, 'llm.tools')?.flatMap(toolOf),
  });
}

/** `llm.model_name` becomes the model that answered as soon as there is an answer. */
function modelOf(attributes: JsonObject): string | undefined {
  const parameters = objectIn(unpacked(attributes['llm.invocation_parameters']));
  return (
    stringIn(attributes['llm.request.model_name']) ??
    stringIn(parameters?.model) ??
    stringIn(attributes['llm.model_name'])
  );
}

function messageOf(message: JsonObject): JsonObject {
  const { role, content, contents, tool_calls: calls, tool_call_id: callId } = message;
  if (typeof callId === 'string') {
    return { role: 'tool', parts: [{ type: 'tool_call_response', id: callId, response: content }] };
  }
  const parts: JsonObject[] =
    typeof content === 'string' && content !== '' ? [{ type: 'text', content }] : [];
  for (const { message_content: block } of objectsIn(contents) ?? []) {
    if (!isJsonObject(block) || block.type === 'tool_use') continue; // a call stands in `tool_calls` as well
    parts.push(typeof block.text === 'string' ? { type: typeOf(block), content: block.text } : block);
  }
  for (const { tool_call: call } of objectsIn(calls) ?? []) {
    const { id, function: called } = objectIn(call) ?? {};
    const { name, arguments: input } = objectIn(called) ?? {};
    parts.push({ type: 'tool_call', id, name, arguments: input });
  }
  return { role: stringIn(role) ?? 'user', parts };
}

function typeOf({ type }: JsonObject): string {
  return type === 'reasoning' ? 'reasoning' : 'text';
}

/** The tool as it was sent, in any API's form. */
function toolOf({ tool }: JsonObject): JsonObject[] {
  const sent = objectIn(unpacked(objectIn(tool)?.json_schema));
  if (sent === undefined) return [];
  const { name, description, parameters, input_schema: schema } = objectIn(sent.function) ?? sent;
  return [{ name, description, parameters: (parameters ?? schema) as JsonValue }];
}

/** Includes the cached part (specification of OpenInference, and what its Anthropic instrumentation adds up). */
function usageOf(attributes: JsonObject): object | undefined {
  const count = (name: string) => numberIn(attributes[`llm.token_count.${name}`]);
  const input = count('prompt');
  if (input === undefined) return undefined;
  return {
    prompt_tokens: input,
    completion_tokens: count('completion'),
    prompt_tokens_details: {
      cached_tokens: count('prompt_details.cache_read'),
      cache_write_tokens: count('prompt_details.cache_write'),
    },
  };
}
