/** The texts of the system prompt in every API's body, read and written one by one. */
import type { Api, JsonObject, JsonValue } from '../../../src/exchange.ts';
import { isObject } from '../../../src/prompt/leaves.ts';
import { isHeadRole } from '../../../src/prompt/openai-part.ts';
import { markOf, replaced } from './body-marks.ts';

type TextChange = (text: string) => string;

export function systemTexts(api: Api, body: JsonObject): string[] {
  const texts: string[] = [];
  mapSystemTexts(api, body, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

/** A text that becomes empty goes with its block. The same body where no text changed. */
export function mapSystemTexts(api: Api, body: JsonObject, change: TextChange): JsonObject {
  switch (api) {
    case 'anthropic.messages':
    case 'bedrock.converse':
      return replaced(body, 'system', mapContent(body.system, change));
    case 'google.generateContent': {
      const field = body.systemInstruction === undefined ? 'system_instruction' : 'systemInstruction';
      const system = body[field];
      if (!isObject(system)) return replaced(body, field, mapContent(system, change));
      const parts = mapContent(system.parts, change);
      return replaced(body, field, parts === undefined ? undefined : replaced(system, 'parts', parts));
    }
    case 'openai.responses': {
      const instructions = mapContent(body.instructions, change);
      return mapHeadMessages(replaced(body, 'instructions', instructions), 'input', change);
    }
    case 'openai.chat':
      return mapHeadMessages(body, 'messages', change);
  }
}

function mapHeadMessages(body: JsonObject, field: 'input' | 'messages', change: TextChange): JsonObject {
  const list = body[field];
  if (!Array.isArray(list)) return body;
  const end = list.findIndex((message) => !isObject(message) || !isHeadRole(String(message.role)));
  const head = list.slice(0, end < 0 ? list.length : end);
  const mapped = head.flatMap((message) => {
    if (!isObject(message)) return [message];
    const content = mapContent(message.content, change);
    return content === undefined ? [] : [replaced(message, 'content', content)];
  });
  const isSame = mapped.length === head.length && mapped.every((message, index) => message === head[index]);
  return isSame ? body : { ...body, [field]: [...mapped, ...list.slice(head.length)] };
}

/** `undefined`: nothing is left. */
function mapContent(content: JsonValue | undefined, change: TextChange): JsonValue | undefined {
  if (typeof content === 'string') return change(content) || undefined;
  if (!Array.isArray(content)) return content;
  const kept: JsonValue[] = [];
  for (const block of content) {
    if (!isObject(block) || typeof block.text !== 'string') {
      kept.push(block);
      continue;
    }
    const text = change(block.text);
    if (text === block.text) kept.push(block);
    else if (text !== '') kept.push({ ...block, text });
    else passMarkOn(block, kept);
  }
  if (kept.length === 0) return undefined;
  return kept.length === content.length && kept.every((block, index) => block === content[index])
    ? content
    : kept;
}

/** The mark of a block that goes stays at the end of what it covered. */
function passMarkOn(gone: JsonObject, kept: JsonValue[]): void {
  const before = kept.at(-1);
  const mark = markOf(gone);
  if (mark && isObject(before) && markOf(before) === null) kept[kept.length - 1] = { ...before, ...mark };
}
