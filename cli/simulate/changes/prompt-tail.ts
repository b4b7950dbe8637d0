/**
 * Text at the very end of a prompt, behind the last cache mark: the next request leaves it out again, and everything
 * before it is still the same.
 */
import type { Api, JsonObject, JsonValue } from '../../../src/exchange.ts';
import { isObject } from '../../../src/prompt/leaves.ts';
import { replaced } from './body-marks.ts';

const OPENAI_MARK: JsonObject = { prompt_cache_breakpoint: { mode: 'explicit' } };

export interface Tail {
  readonly text: string;
  /** The provider marks the newest message itself: a mark of the request's own must stand in front of the text. */
  readonly needsMark: boolean;
}

/** The same body where its newest message takes no text: one that the model is to go on with. */
export function appendToTail(api: Api, body: JsonObject, tail: Tail): JsonObject {
  switch (api) {
    case 'anthropic.messages':
      return appendToMessage(
        withoutAutomaticMark(body),
        body,
        'messages',
        'content',
        (text) => ({ type: 'text', text }),
        tail,
      );
    case 'bedrock.converse':
      return appendToMessage(body, body, 'messages', 'content', (text) => ({ text }), tail);
    case 'google.generateContent':
      return appendToMessage(body, body, 'contents', 'parts', (text) => ({ text }), tail);
    case 'openai.chat':
      return appendOpenAi(body, 'messages', (text) => ({ type: 'text', text }), tail);
    case 'openai.responses':
      return appendOpenAi(body, 'input', (text) => ({ type: 'input_text', text }), tail);
  }
}

type ToBlock = (text: string) => JsonObject;

function appendToMessage(
  body: JsonObject,
  original: JsonObject,
  list: string,
  content: string,
  toBlock: ToBlock,
  { text }: Tail,
): JsonObject {
  const messages = body[list];
  const newest = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!Array.isArray(messages) || !isObject(newest) || (newest.role ?? 'user') !== 'user') return original;
  const blocks = blocksOf(newest[content], toBlock);
  return {
    ...body,
    [list]: [...messages.slice(0, -1), { ...newest, [content]: [...blocks, toBlock(text)] }],
  };
}

/** Behind the results of tools the text is a message of its own: a result holds what the tool said. */
function appendOpenAi(
  body: JsonObject,
  field: 'messages' | 'input',
  toBlock: ToBlock,
  tail: Tail,
): JsonObject {
  const list = body[field];
  const messages: readonly JsonValue[] = Array.isArray(list)
    ? list
    : typeof list === 'string'
      ? [{ role: 'user', content: list }]
      : [];
  const newest = messages.at(-1);
  if (!isObject(newest)) return body;
  const { role, content } = newest;
  if (role === 'assistant') return body;
  const before = messages.slice(0, -1);
  if (role === 'user') {
    const blocks = marked(blocksOf(content, toBlock), tail);
    return { ...body, [field]: [...before, { ...newest, content: [...blocks, toBlock(tail.text)] }] };
  }
  const stable =
    role === 'tool' && tail.needsMark
      ? replaced(newest, 'content', marked(blocksOf(content, toBlock), tail))
      : newest;
  return { ...body, [field]: [...before, stable, { role: 'user', content: [toBlock(tail.text)] }] };
}

function blocksOf(content: JsonValue | undefined, toBlock: ToBlock): JsonValue[] {
  if (typeof content === 'string') return content === '' ? [] : [toBlock(content)];
  return Array.isArray(content) ? content : [];
}

function marked(blocks: JsonValue[], { needsMark }: Tail): JsonValue[] {
  const last = blocks.at(-1);
  return needsMark && isObject(last) ? [...blocks.slice(0, -1), { ...last, ...OPENAI_MARK }] : blocks;
}

/** A mark that follows the newest block would follow the text: it is put on the last block in front of that. */
function withoutAutomaticMark(body: JsonObject): JsonObject {
  const { cache_control: mark, ...rest } = body;
  const messages = body.messages;
  const newest = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!isObject(mark) || !Array.isArray(messages) || !isObject(newest)) return body;
  const blocks = blocksOf(newest.content, (text) => ({ type: 'text', text }));
  const last = blocks.at(-1);
  if (!isObject(last)) return body;
  const content = [...blocks.slice(0, -1), { cache_control: mark, ...last }];
  return { ...rest, messages: [...messages.slice(0, -1), { ...newest, content }] };
}
