/**
 * OpenAI Chat Completions and everything that speaks it (DeepSeek, xAI, Mistral, Groq, Kimi, Qwen, OpenRouter, vLLM …).
 * Render order (developers.openai.com prompt-caching guide, Oct 2026; schema position: Azure prompt-caching page): model,
 * service tier, response schema, tools, settings, leading system or developer messages, messages.
 */
import type { ExchangeRequest, JsonObject } from '../exchange.ts';
import { type MessagePart, markOn, type PromptBuilder, stringOrNull } from './builder.ts';
import { fixedLeaves, isObject, listOf, stringLeaf } from './leaves.ts';
import { splitRegion } from './model-id.ts';
import { isHeadRole, openaiFacts, partOf } from './openai-part.ts';
import type { Leaf, Prompt } from './prompt.ts';
import type { MessageReader } from './reading.ts';

export function readOpenAIChat(body: JsonObject, request: ExchangeRequest, builder: PromptBuilder): Prompt {
  const sentModel = stringOrNull(body.model) ?? request.model ?? null;
  const { model, region } = splitRegion(sentModel);
  builder.normalised('model', 'model', model, sentModel, 'model');
  const tier = stringOrNull(body.service_tier) ?? 'auto';
  builder.normalised('service_tier', 'service_tier', tier === 'auto' ? 'default' : tier, body.service_tier);
  builder.parameter('response_format', 'response_format', body.response_format);
  readTools(body, builder);
  builder.parameter('parallel_tool_calls', 'parallel_tool_calls', body.parallel_tool_calls);
  builder.parameter('web_search_options', 'web_search_options', body.web_search_options);
  builder.parameter('reasoning_effort', 'reasoning_effort', body.reasoning_effort);
  builder.parameter('reasoning', 'reasoning', body.reasoning);
  builder.parameter('thinking', 'thinking', body.thinking);
  // Ollama: chat templates render it. `format` and `options` steer the decoding, `keep_alive` the server.
  builder.parameter('think', 'think', body.think);
  builder.parameter('verbosity', 'verbosity', body.verbosity);
  listOf(body.messages).forEach((message, index) => appendMessage(builder, message, index));
  if (builder.headLength < 0) builder.startMessages();
  builder.suspect('tool_choice', 'tool_choice', body.tool_choice);
  builder.suspect('modalities', 'modalities', body.modalities);
  return builder.build('openai.chat', {
    ...openaiFacts(body),
    model,
    region,
  });
}

function readTools(body: JsonObject, builder: PromptBuilder): void {
  const list = Array.isArray(body.tools) ? body.tools : Array.isArray(body.functions) ? body.functions : [];
  const field = Array.isArray(body.tools) ? 'tools' : 'functions';
  list.forEach((tool, index) => {
    if (!isObject(tool)) return;
    const path = `${field}[${index}]`;
    const definition = isObject(tool.function) ? tool.function : tool;
    const at = isObject(tool.function) ? '.function' : '';
    const leaves = fixedLeaves(definition, ['name', 'description', 'parameters', 'type'], { at });
    if (at !== '') leaves.push(...fixedLeaves(tool, ['type'], { ignore: ['function'] }));
    const name = stringOrNull(definition.name) ?? stringOrNull(tool.type) ?? String(index);
    builder.add({ component: 'tools', kind: 'tool', path, name, leaves });
    const mark = markOn(tool, path) ?? markOn(definition, `${path}.function`);
    if (mark) builder.breakpoint(mark.path, mark);
  });
}

export const openaiChatMessageReader: MessageReader = {
  listField: 'messages',
  append: appendMessage,
  isPlain: isObject,
};

function appendMessage(builder: PromptBuilder, message: unknown, index: number): void {
  const path = `messages[${index}]`;
  const fields = isObject(message) ? message : {};
  const role = stringOrNull(fields.role) ?? 'unknown';
  if (builder.headLength < 0 && !isHeadRole(role)) builder.startMessages();
  const component = builder.headLength < 0 ? 'system' : 'messages';
  builder.message({ component, role, path, index, parts: partsOf(fields, role, path) });
  const mark = markOn(message, path);
  if (mark) builder.breakpoint(mark.path, mark);
}

function partsOf(message: JsonObject, role: string, path: string): MessagePart[] {
  if (role === 'tool' || role === 'function') return [toolResultPart(message, path)];
  const parts: MessagePart[] = [];
  for (const field of ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking']) {
    const value = message[field];
    if (value === undefined || value === null || value === '') continue;
    const leaves = [
      stringLeaf('type', `${path}.${field}`, 'reasoning'),
      ...fixedLeaves({ [field]: value }, [field], { at: path }),
    ];
    parts.push({ kind: 'thinking', path: `${path}.${field}`, leaves });
  }
  const { content } = message;
  if (Array.isArray(content))
    content.forEach((part, at) => parts.push(partOf(part, `${path}.content[${at}]`, 'text')));
  else if (typeof content === 'string' && content !== '')
    parts.push(partOf(content, `${path}.content`, 'text'));
  listOf(message.tool_calls).forEach((call, at) => {
    if (isObject(call)) parts.push(toolCallPart(call, `${path}.tool_calls[${at}]`));
  });
  const rest = fixedLeaves(message, ['name', 'function_call', 'refusal'], { at: path, ignore: READ_FIELDS });
  if (rest.length > 0) parts.push({ kind: 'opaque', path, leaves: rest });
  return parts;
}

const READ_FIELDS = [
  'role',
  'content',
  'tool_calls',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking',
  'annotations',
  'audio',
];

function toolCallPart(call: JsonObject, path: string): MessagePart {
  const called = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : {};
  const field = isObject(call.custom) ? 'custom' : 'function';
  const leaves: Leaf[] = [
    stringLeaf('type', `${path}.type`, 'tool_call'),
    ...fixedLeaves(call, ['id'], { ignore: ['function', 'custom', 'type', 'index'] }),
    ...fixedLeaves(called, ['name', 'arguments', 'input'], { at: `.${field}`, slot: 'function' }),
  ];
  return {
    kind: 'tool_use',
    path,
    name: stringOrNull(called.name) ?? undefined,
    callId: stringOrNull(call.id) ?? undefined,
    leaves,
  };
}

function toolResultPart(message: JsonObject, path: string): MessagePart {
  const leaves = fixedLeaves(message, ['tool_call_id', 'name'], { ignore: ['role', 'content'] });
  const { content } = message;
  const parts = Array.isArray(content) ? content : [content ?? ''];
  let isEmptyText = false;
  parts.forEach((part, index) => {
    const inner = partOf(part, Array.isArray(content) ? `.content[${index}]` : '.content', 'text');
    for (const leaf of inner.leaves)
      leaves.push({ ...leaf, slot: `content[${index}].${leaf.slot}`, at: `${inner.path}${leaf.at}` });
    isEmptyText ||= inner.mark?.isOnEmptyText ?? false;
  });
  const mark = parts
    .map((part, index) => markOn(part, `${path}.content[${index}]`, isEmptyText))
    .find(Boolean);
  return { kind: 'tool_result', path, callId: stringOrNull(message.tool_call_id) ?? undefined, leaves, mark };
}
