/**
 * OpenAI Responses. Render order (developers.openai.com prompt-caching guide, Oct 2026): model, service tier, output
 * schema, tools, settings, instructions and leading developer items, then the conversation items: one flat prefix.
 */
import type { ExchangeRequest, JsonObject } from '../exchange.ts';
import { type MessagePart, type PromptBuilder, stringOrNull } from './builder.ts';
import { fixedLeaves, isObject, listOf, stringLeaf } from './leaves.ts';
import { splitRegion } from './model-id.ts';
import { isHeadRole, openaiFacts, partOf } from './openai-part.ts';
import type { Leaf, MissingHistory, Prompt, SegmentKind } from './prompt.ts';
import type { MessageReader } from './reading.ts';

export function readOpenAIResponses(
  body: JsonObject,
  request: ExchangeRequest,
  builder: PromptBuilder,
): Prompt {
  const sentModel = stringOrNull(body.model) ?? request.model ?? null;
  const { model, region } = splitRegion(sentModel);
  const text = isObject(body.text) ? body.text : {};
  const format = isObject(text.format) && text.format.type === 'text' ? undefined : text.format;
  builder.normalised('model', 'model', model, sentModel, 'model');
  const tier = stringOrNull(body.service_tier) ?? 'auto';
  builder.normalised('service_tier', 'service_tier', tier === 'auto' ? 'default' : tier, body.service_tier);
  builder.parameter('text.format', 'text.format', format);
  readTools(body.tools, builder);
  builder.parameter('parallel_tool_calls', 'parallel_tool_calls', body.parallel_tool_calls);
  builder.parameter('reasoning', 'reasoning', reasoningSettings(body.reasoning));
  builder.parameter('text.verbosity', 'text.verbosity', text.verbosity);
  builder.parameter('context_management', 'context_management', body.context_management);
  builder.parameter('prompt', 'prompt', body.prompt, 'system');
  if (typeof body.instructions === 'string') {
    const leaves = [stringLeaf('text', '', body.instructions)];
    builder.add({ component: 'system', kind: 'text', path: 'instructions', leaves });
  }
  readInput(body.input, builder);
  if (builder.headLength < 0) builder.startMessages();
  builder.suspect('tool_choice', 'tool_choice', body.tool_choice);
  builder.suspect('truncation', 'truncation', body.truncation);
  return builder.build('openai.responses', {
    ...openaiFacts(body),
    model,
    region,
    missingHistory: missingHistory(body),
    isServerEdited: body.context_management !== undefined && body.context_management !== null,
  });
}

function readTools(tools: unknown, builder: PromptBuilder): void {
  listOf(tools).forEach((tool, index) => {
    if (!isObject(tool) || tool.defer_loading === true) return;
    const leaves = fixedLeaves(tool, ['name', 'description', 'parameters', 'type'], {
      ignore: ['defer_loading'],
    });
    const name =
      stringOrNull(tool.name) ?? stringOrNull(tool.server_label) ?? stringOrNull(tool.type) ?? String(index);
    builder.add({ component: 'tools', kind: 'tool', path: `tools[${index}]`, name, leaves });
  });
}

function reasoningSettings(reasoning: unknown): JsonObject | undefined {
  if (!isObject(reasoning)) return undefined;
  const { summary: _summary, generate_summary: _generateSummary, ...settings } = reasoning;
  return Object.keys(settings).length > 0 ? settings : undefined;
}

export const openaiResponsesItemReader: MessageReader = {
  listField: 'input',
  append: (builder, item, index) => appendItem(builder, item, index, `input[${index}]`),
  isPlain: isObject,
};

function readInput(input: unknown, builder: PromptBuilder): void {
  if (typeof input === 'string') appendItem(builder, { role: 'user', content: input }, 0, 'input');
  listOf(input).forEach((item, index) => appendItem(builder, item, index, `input[${index}]`));
}

function appendItem(builder: PromptBuilder, value: unknown, index: number, path: string): void {
  const item = isObject(value) ? value : {};
  const isMessage = item.role !== undefined && (item.type === undefined || item.type === 'message');
  const role = isMessage ? (stringOrNull(item.role) ?? 'unknown') : String(item.type);
  if (builder.headLength < 0 && !isHeadRole(role)) builder.startMessages();
  const component = builder.headLength < 0 ? 'system' : 'messages';
  const parts = isMessage ? messageParts(item, role, path) : [itemPart(item, path)];
  builder.message({ component, role, path, index, parts });
}

function messageParts(item: JsonObject, role: string, path: string): MessagePart[] {
  const textType = role === 'assistant' ? 'output_text' : 'input_text';
  const contentPath = path === 'input' ? 'input' : `${path}.content`;
  const { content } = item;
  const parts = Array.isArray(content)
    ? content.map((part, at) => partOf(part, `${contentPath}[${at}]`, textType))
    : [partOf(content ?? '', contentPath, textType)];
  const rest = fixedLeaves(item, ['id'], { at: path, ignore: ['type', 'role', 'content', 'status'] });
  const [first, ...others] = parts;
  return first
    ? [{ ...first, leaves: [...rest, ...first.leaves] }, ...others]
    : [{ kind: 'opaque', path, leaves: rest }];
}

const ITEM_ORDER = [
  'type',
  'id',
  'call_id',
  'name',
  'arguments',
  'input',
  'action',
  'summary',
  'content',
  'encrypted_content',
];

function itemPart(item: JsonObject, path: string): MessagePart {
  const type = stringOrNull(item.type) ?? 'unknown';
  const leaves: Leaf[] = fixedLeaves(item, ITEM_ORDER, { ignore: ['status', 'output'] });
  const { output } = item;
  const outputs = Array.isArray(output) ? output : output === undefined || output === null ? [] : [output];
  outputs.forEach((part, index) => {
    const inner = partOf(part, Array.isArray(output) ? `.output[${index}]` : '.output', 'input_text');
    for (const leaf of inner.leaves)
      leaves.push({ ...leaf, slot: `content[${index}].${leaf.slot}`, at: `${inner.path}${leaf.at}` });
  });
  return {
    kind: kindOf(type),
    path,
    name: stringOrNull(item.name) ?? undefined,
    callId: stringOrNull(item.call_id) ?? stringOrNull(item.id) ?? undefined,
    leaves,
  };
}

function kindOf(type: string): SegmentKind {
  if (type === 'reasoning') return 'thinking';
  if (type.endsWith('_output')) return 'tool_result';
  return type.endsWith('_call') ? 'tool_use' : 'opaque';
}

function missingHistory(body: JsonObject): MissingHistory | null {
  const previous = stringOrNull(body.previous_response_id);
  if (previous) return { reason: 'previous_response_id', id: previous };
  const conversation = isObject(body.conversation)
    ? stringOrNull(body.conversation.id)
    : stringOrNull(body.conversation);
  return conversation ? { reason: 'conversation', id: conversation } : null;
}
