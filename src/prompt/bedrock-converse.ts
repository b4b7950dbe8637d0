/**
 * Bedrock Converse. Render order tools, system, messages; `cachePoint` elements are marks, not content
 * (docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html).
 */
import type { ExchangeRequest, JsonObject } from '../exchange.ts';
import {
  type Mark,
  type MessagePart,
  PLAIN_FACTS,
  type PromptBuilder,
  stringOrNull,
  ttlMsOf,
} from './builder.ts';
import { fixedLeaves, isObject, listOf, stringLeaf } from './leaves.ts';
import { splitRegion } from './model-id.ts';
import type { Leaf, Prompt, SegmentKind } from './prompt.ts';
import type { MessageReader } from './reading.ts';

export function readBedrockConverse(
  body: JsonObject,
  request: ExchangeRequest,
  builder: PromptBuilder,
): Prompt {
  const sentModel = request.model ?? stringOrNull(body.modelId);
  const { model, region } = splitRegion(sentModel);
  const toolConfig = isObject(body.toolConfig) ? body.toolConfig : {};
  const fields = isObject(body.additionalModelRequestFields) ? body.additionalModelRequestFields : {};
  const fieldsPath = 'additionalModelRequestFields';
  builder.normalised('model', 'model', model, sentModel, 'model');
  readTools(toolConfig.tools, builder);
  builder.parameter('anthropic_beta', `${fieldsPath}.anthropic_beta`, fields.anthropic_beta);
  readSystem(body.system, builder);
  builder.parameter('thinking', `${fieldsPath}.thinking`, fields.thinking ?? fields.reasoning_config);
  builder.parameter('output_config', `${fieldsPath}.output_config`, fields.output_config);
  builder.parameter('toolChoice', 'toolConfig.toolChoice', toolConfig.toolChoice);
  builder.startMessages();
  listOf(body.messages).forEach((message, index) => appendMessage(builder, message, index));
  builder.suspect('performanceConfig', 'performanceConfig', body.performanceConfig);
  builder.suspect('serviceTier', 'serviceTier', body.serviceTier);
  return builder.build('bedrock.converse', {
    ...PLAIN_FACTS,
    model,
    region,
    cacheMode: 'explicit',
    isThinkingOn: isObject(fields.thinking) && fields.thinking.type !== 'disabled',
  });
}

function readTools(tools: unknown, builder: PromptBuilder): void {
  listOf(tools).forEach((tool, index) => {
    if (!isObject(tool)) return;
    const path = `toolConfig.tools[${index}]`;
    const mark = cachePoint(tool, path);
    if (mark) {
      builder.breakpoint(mark.path, mark);
      return;
    }
    const spec = isObject(tool.toolSpec) ? tool.toolSpec : tool;
    const at = isObject(tool.toolSpec) ? '.toolSpec' : '';
    const leaves = fixedLeaves(spec, ['name', 'description', 'inputSchema'], { at });
    const name = stringOrNull(spec.name) ?? Object.keys(tool)[0] ?? String(index);
    builder.add({ component: 'tools', kind: 'tool', path, name, leaves });
  });
}

function readSystem(system: unknown, builder: PromptBuilder): void {
  listOf(system).forEach((block, index) => {
    const path = `system[${index}]`;
    const mark = cachePoint(block, path);
    if (mark) builder.breakpoint(mark.path, mark);
    else builder.add({ component: 'system', ...blockPart(block, path) });
  });
}

export const bedrockMessageReader: MessageReader = {
  listField: 'messages',
  append: appendMessage,
  isPlain: isObject,
};

function appendMessage(builder: PromptBuilder, value: unknown, index: number): void {
  const message = isObject(value) ? value : {};
  const path = `messages[${index}]`;
  const parts: MessagePart[] = [];
  listOf(message.content).forEach((block, at) => {
    const mark = cachePoint(block, `${path}.content[${at}]`);
    const marked = parts.at(-1);
    if (!mark) parts.push(blockPart(block, `${path}.content[${at}]`));
    else if (marked) parts[parts.length - 1] = { ...marked, mark };
  });
  builder.message({
    component: 'messages',
    role: stringOrNull(message.role) ?? 'unknown',
    path,
    index,
    parts,
  });
}

function cachePoint(block: unknown, path: string): Mark | undefined {
  if (!isObject(block) || !isObject(block.cachePoint)) return undefined;
  return { path: `${path}.cachePoint`, ttlMs: ttlMsOf(block.cachePoint.ttl), isOnEmptyText: false };
}

function blockPart(block: unknown, path: string): MessagePart {
  if (!isObject(block)) return { kind: 'text', path, leaves: [stringLeaf('text', '', String(block))] };
  const call = isObject(block.toolUse) ? block.toolUse : undefined;
  const result = isObject(block.toolResult) ? block.toolResult : undefined;
  const leaves: Leaf[] = [];
  if (call)
    leaves.push(...fixedLeaves(call, ['toolUseId', 'name', 'input'], { at: '.toolUse', slot: 'toolUse' }));
  else if (result)
    leaves.push(...fixedLeaves(result, ['toolUseId', 'content'], { at: '.toolResult', slot: 'toolResult' }));
  else leaves.push(...fixedLeaves(block, ['text', 'reasoningContent', 'image', 'document']));
  return {
    kind: kindOf(block),
    path,
    holdsImage: isObject(block.image) || listOf(result?.content).some(isImage) || undefined,
    name: stringOrNull(call?.name) ?? undefined,
    callId: stringOrNull(call?.toolUseId ?? result?.toolUseId) ?? undefined,
    leaves,
  };
}

function isImage(content: unknown): boolean {
  return isObject(content) && isObject(content.image);
}

function kindOf(block: JsonObject): SegmentKind {
  if (block.toolUse) return 'tool_use';
  if (block.toolResult) return 'tool_result';
  if (block.reasoningContent) return 'thinking';
  if (block.image ?? block.document ?? block.video) return 'media';
  return typeof block.text === 'string' ? 'text' : 'opaque';
}
