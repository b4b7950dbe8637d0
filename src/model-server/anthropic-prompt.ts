/**
 * Renders a Messages request: tools, settings that alter the system prompt, system, settings that alter the messages,
 * messages. A change loses what stands behind it, which gives the documented table "What invalidates the cache"
 * (https://platform.claude.com/docs/en/build-with-claude/prompt-caching) without a rule per row.
 *
 * `cache_control` is not content; a string is one text block; neighbouring messages of one role are one turn.
 */
import { ANTHROPIC, stripsEarlierThinking } from './rules.ts';
import { isObject, objectsOf, renderFields, type Segment, stringOf } from './segments.ts';
import type { JsonObject, JsonValue } from './types.ts';

export interface AnthropicPrompt {
  readonly segments: readonly Segment[];
  /** The number of segments before the last block that automatic caching may mark, that block included. */
  readonly automaticBoundary: number;
}

export function renderAnthropicPrompt(body: JsonObject): AnthropicPrompt {
  // A tool with deferred loading is not rendered; tool search brings it in as a message block.
  const tools = objectsOf(body.tools).filter((tool) => tool.defer_loading !== true);
  const head = [
    ...tools.filter((tool) => !isWebTool(tool)).map(toolSegment),
    // Web search and fetch alter the system prompt, not the tools: switching them keeps the tools.
    ...tools.filter(isWebTool).map(toolSegment),
    ...settingsBeforeSystem(body),
    ...blocksOf(body.system).map((block) => blockSegment('system-prompt', block)),
    ...settingsBeforeMessages(body),
  ];
  const messages = messageBlocks(body);
  const lastCacheable = messages.findLastIndex(({ block }) => isCacheable(block));
  return {
    segments: [...head, ...messages.map(({ role, block }) => blockSegment(role, block))],
    automaticBoundary: head.length + lastCacheable + 1,
  };
}

/** A string is the same as one text block. */
export function blocksOf(content: JsonValue | undefined): JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);
}

/** Thinking blocks, empty text and tools with deferred loading cannot carry a mark. */
export function isCacheable(block: JsonObject): boolean {
  if (isThinking(block) || block.defer_loading === true) return false;
  return block.type !== 'text' || stringOf(block.text) !== '';
}

/** The mark on a block, or on a part of a tool result, which ends with its block. */
export function markOf(block: JsonObject): JsonObject | undefined {
  const marks = [block, ...objectsOf(block.content)].map((marked) => marked.cache_control).filter(isObject);
  return marks.at(-1);
}

function messageBlocks(body: JsonObject): { role: string; block: JsonObject }[] {
  const blocks = objectsOf(body.messages).flatMap((message) =>
    blocksOf(message.content).map((block) => ({ role: stringOf(message.role), block })),
  );
  if (!stripsEarlierThinking(stringOf(body.model))) return blocks;
  const lastPlainUser = blocks.findLastIndex(
    ({ role, block }) => role === 'user' && block.type !== 'tool_result',
  );
  return blocks.filter(({ block }, index) => index > lastPlainUser || !isThinking(block));
}

function isThinking(block: JsonObject): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

function isImage(block: JsonObject): boolean {
  return block.type === 'image';
}

function isWebTool(tool: JsonObject): boolean {
  return /^web_(search|fetch)_/.test(stringOf(tool.type));
}

function settingsBeforeSystem(body: JsonObject): Segment[] {
  const outputConfig = isObject(body.output_config) ? body.output_config : {};
  const hasCitations = objectsOf(body.messages)
    .flatMap((message) => blocksOf(message.content))
    .some(({ citations }) => isObject(citations) && citations.enabled === true);
  return [
    ...setting('speed', body.speed === 'standard' ? undefined : body.speed),
    ...setting('citations', hasCitations || undefined),
    // Documented: text is injected into the system prompt. That the tools survive is inferred.
    ...setting('output format', outputConfig.format),
  ];
}

function settingsBeforeMessages(body: JsonObject): Segment[] {
  const { thinking, output_config: outputConfig, tool_choice: toolChoice } = body;
  // An effort equal to the default is the same as none. The default is high.
  const effort = isObject(outputConfig) && outputConfig.effort !== 'high' ? outputConfig.effort : undefined;
  const choice = isObject(toolChoice) ? renderFields(withoutFalse(toolChoice)) : '';
  const blocks = objectsOf(body.messages).flatMap((message) => blocksOf(message.content));
  const hasImages = blocks.flatMap((block) => [block, ...objectsOf(block.content)]).some(isImage);
  return [
    // `display` says how thinking is returned, not how the prompt is rendered.
    ...setting('thinking', isObject(thinking) ? renderFields(thinking, ['display']) : undefined),
    ...setting('effort', effort),
    ...setting('tool_choice', choice === 'type="auto"' || choice === '' ? undefined : choice),
    ...setting('images', hasImages || undefined),
  ];
}

function setting(name: string, value: JsonValue | undefined): Segment[] {
  if (value === undefined || value === null) return [];
  return [{ kind: 'parameter', text: `setting ${name}\n${JSON.stringify(value)}` }];
}

function toolSegment(tool: JsonObject): Segment {
  const fields = tool.type === 'custom' ? ['cache_control', 'type'] : ['cache_control'];
  return { kind: 'block', text: `tool\n${renderFields(tool, fields)}`, ...markTtl(tool) };
}

function blockSegment(role: string, block: JsonObject): Segment {
  const type = stringOf(block.type);
  const kind = type === 'tool_use' || type === 'tool_result' ? type : 'block';
  return { kind, text: `${role} ${renderBlock(block)}`, ...markTtl(block) };
}

function renderBlock(block: JsonObject): string {
  const type = stringOf(block.type);
  if (type === 'text') {
    const others = renderFields(block, ['type', 'text', 'cache_control']);
    return `text\n${stringOf(block.text)}${others && `\n${others}`}`;
  }
  if (type !== 'tool_result') return `${type}\n${renderFields(block, ['type', 'cache_control'])}`;
  const parts = blocksOf(block.content).map(renderBlock);
  return [type, renderFields(withoutFalse(block), ['type', 'cache_control', 'content']), ...parts].join('\n');
}

/** `is_error: false` and `disable_parallel_tool_use: false` are the defaults. */
function withoutFalse(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== false));
}

function markTtl(block: JsonObject): Pick<Segment, 'markTtlMs'> {
  const mark = markOf(block);
  const ttlMs = mark && ANTHROPIC.ttlMs[stringOf(mark.ttl) || '5m'];
  return ttlMs === undefined ? {} : { markTtlMs: ttlMs };
}
