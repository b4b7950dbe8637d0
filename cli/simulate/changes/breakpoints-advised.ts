/**
 * Cache marks where the diagnosis advises them: at the end of the tools, of the system prompt, of the newest message and
 * of the user's message before it, so that a reader finds the entry of the call before.
 */
import type { Api, JsonObject, JsonValue } from '../../../src/exchange.ts';
import { isObject } from '../../../src/prompt/leaves.ts';
import { mapMarks, replaced } from './body-marks.ts';
import type { Change } from './change.ts';

export function breakpointsAdvised(): Change {
  return {
    name: 'breakpoints-advised',
    title: 'breakpoints as advised',
    obstacle: ({ rules }) =>
      rules.style === 'explicit' && !rules.setsMarks
        ? null
        : 'the provider caches without marks, or sets its own',
    nothingToDo: 'all breakpoints stand where they are advised',
    apply: (body, { api }) => {
      const marked = placed(api, body);
      return JSON.stringify(marked) === JSON.stringify(body) ? body : marked;
    },
  };
}

function placed(api: Api, body: JsonObject): JsonObject {
  let ttl: JsonValue | undefined;
  const bare = mapMarks(body, (mark) => {
    ttl ??= mark.ttl;
    return null;
  });
  const own = ttl === undefined ? {} : { ttl };
  const mark: Mark =
    api === 'bedrock.converse'
      ? { element: { cachePoint: { type: 'default', ...own } } }
      : { field: { cache_control: { type: 'ephemeral', ...own } } };
  const messages = messagesOf(bare);
  return markTools(markSystem(replaced(bare, 'messages', markMessages(messages, mark)), mark), mark);
}

type Mark = { readonly field: JsonObject } | { readonly element: JsonObject };

function messagesOf({ messages }: JsonObject): readonly JsonValue[] {
  return Array.isArray(messages) ? messages : [];
}

function markTools(body: JsonObject, mark: Mark): JsonObject {
  const { toolConfig } = body;
  if (isObject(toolConfig))
    return replaced(body, 'toolConfig', replaced(toolConfig, 'tools', markLast(toolConfig.tools, mark)));
  return replaced(body, 'tools', markLast(body.tools, mark));
}

function markSystem(body: JsonObject, mark: Mark): JsonObject {
  const { system } = body;
  return replaced(
    body,
    'system',
    typeof system === 'string' ? markText(system, mark) : markLast(system, mark),
  );
}

/** The newest message, the user's message before it, and, where the system prompt is a message, that. */
function markMessages(messages: readonly JsonValue[], mark: Mark): JsonValue[] {
  const roles = messages.map((message) => (isObject(message) ? message.role : undefined));
  const newest = messages.length - 1;
  const marked = new Set([
    newest,
    roles.findLastIndex((role, index) => index < newest && (role === 'user' || role === 'tool')),
    roles.findIndex((role) => role !== 'system' && role !== 'developer') - 1,
  ]);
  return messages.map((message, index) => {
    if (!marked.has(index) || !isObject(message)) return message;
    const { content } = message;
    return replaced(
      message,
      'content',
      typeof content === 'string' ? markText(content, mark) : markLast(content, mark),
    );
  });
}

function markText(text: string, mark: Mark): JsonValue {
  if (text === '') return text;
  return 'field' in mark ? [{ type: 'text', text, ...mark.field }] : [{ text }, mark.element];
}

/** On the last block that can carry one: thinking and empty text cannot. */
function markLast(blocks: JsonValue | undefined, mark: Mark): JsonValue | undefined {
  if (!Array.isArray(blocks)) return blocks;
  const last = blocks.findLastIndex(canCarryMark);
  if (last < 0) return blocks;
  return blocks.flatMap((block: JsonValue, index: number) => {
    if (index !== last || !isObject(block)) return [block];
    return 'field' in mark ? [{ ...block, ...mark.field }] : [block, mark.element];
  });
}

function canCarryMark(block: JsonValue): boolean {
  if (!isObject(block) || block.defer_loading === true || block.reasoningContent !== undefined) return false;
  if (block.type === 'thinking' || block.type === 'redacted_thinking') return false;
  return block.text !== '';
}
