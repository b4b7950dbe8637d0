/**
 * OpenLLMetry (Traceloop) up to the release that took over the conventions: one attribute for each field of each message,
 * `gen_ai.prompt.0.content`, older yet `llm.prompts.0.content`; tools as `llm.request.functions.0.*`. What is not about the
 * prompt has the conventions' names.
 */
import type { JsonObject, JsonValue } from '../exchange.ts';
import { isJsonObject, stringIn } from '../json-value.ts';
import type { SpanDialect } from './dialect.ts';
import { genAi, providerOf } from './genai-dialect.ts';
import { objectsIn, tracedBody, unpacked } from './genai-messages.ts';
import { nestedList } from './nested.ts';

export const traceloop: SpanDialect = {
  isModelCall: (attributes) =>
    genAi.isModelCall(attributes) || ['chat', 'completion'].includes(String(attributes['llm.request.type'])),
  bodyOf(attributes) {
    const prompts = nestedList(attributes, 'gen_ai.prompt') ?? nestedList(attributes, 'llm.prompts');
    // A completion's bare text has no speaker.
    if (prompts === undefined || prompts.some(({ role }) => typeof role !== 'string')) return undefined;
    return tracedBody({
      model: stringIn(attributes['gen_ai.request.model']) ?? stringIn(attributes['llm.request.model']),
      provider: providerOf(attributes),
      messages: prompts.map(messageOf),
      tools: nestedList(attributes, 'llm.request.functions')?.map((tool) => ({
        ...tool,
        parameters: unpacked(tool.parameters ?? tool.input_schema) as JsonValue, // unpacked from JSON
      })),
    });
  },
  threadOf: genAi.threadOf,
  responseOf: genAi.responseOf,
};

function messageOf({ role, content, tool_calls: calls, tool_call_id: callId }: JsonObject): JsonObject {
  if (typeof callId === 'string' && role === 'tool') {
    return { role, parts: [{ type: 'tool_call_response', id: callId, response: content }] };
  }
  const parts = partsOf(content);
  for (const { id, name, arguments: input } of objectsIn(calls) ?? []) {
    parts.push({ type: 'tool_call', id, name, arguments: input });
  }
  return { role, parts };
}

/** A text, or the blocks of the request as JSON. */
function partsOf(content: JsonValue | undefined): JsonObject[] {
  const blocks = unpacked(content);
  if (!Array.isArray(blocks) || !blocks.every(isBlock)) {
    return content === undefined || content === '' ? [] : [{ type: 'text', content }];
  }
  return blocks.map((block: JsonObject) => {
    if (block.type === 'text') return { type: 'text', content: block.text };
    if (block.type === 'tool_use')
      return { type: 'tool_call', id: block.id, name: block.name, arguments: block.input };
    if (block.type === 'tool_result')
      return { type: 'tool_call_response', id: block.tool_use_id, response: block.content };
    return block;
  });
}

function isBlock(value: unknown): value is JsonObject {
  return isJsonObject(value) && typeof value.type === 'string';
}
