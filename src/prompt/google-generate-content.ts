/**
 * Gemini generateContent (Gemini API and Vertex). How the implicit cache orders the prompt is not documented; system
 * instruction and tools stand before contents (ai.google.dev/gemini-api/docs/caching, Oct 2026). Both spellings of
 * field names are accepted by the API, so both are read.
 */
import type { ExchangeRequest, JsonObject } from '../exchange.ts';
import { type MessagePart, PLAIN_FACTS, type PromptBuilder, stringOrNull } from './builder.ts';
import { fixedLeaves, isObject, listOf, stringLeaf } from './leaves.ts';
import { splitRegion } from './model-id.ts';
import type { Prompt, SegmentKind } from './prompt.ts';
import type { MessageReader } from './reading.ts';

export function readGoogleGenerateContent(
  body: JsonObject,
  request: ExchangeRequest,
  builder: PromptBuilder,
): Prompt {
  const sentModel = request.model ?? stringOrNull(body.model);
  const { model, region } = splitRegion(sentModel);
  const cachedContent = stringOrNull(body.cachedContent) ?? stringOrNull(body.cached_content);
  builder.normalised('model', 'model', model, sentModel, 'model');
  builder.parameter('cachedContent', 'cachedContent', cachedContent, 'system');
  readSystem(body, builder);
  readTools(body.tools, builder);
  const [toolConfig, toolConfigPath] = either(body, 'toolConfig', 'tool_config');
  builder.parameter('toolConfig', toolConfigPath, toolConfig);
  readGenerationConfig(body, builder);
  builder.startMessages();
  const contents = typeof body.contents === 'string' ? [{ parts: [{ text: body.contents }] }] : body.contents;
  const list = isObject(contents) ? [contents] : listOf(contents);
  list.forEach((content, index) => appendContent(builder, content, index));
  return builder.build('google.generateContent', {
    ...PLAIN_FACTS,
    model,
    region,
    missingHistory: cachedContent ? { reason: 'cached_content', id: cachedContent } : null,
  });
}

export const googleContentReader: MessageReader = {
  listField: 'contents',
  append: appendContent,
  isPlain: isObject,
};

function appendContent(builder: PromptBuilder, value: unknown, index: number): void {
  const content = isObject(value) ? value : {};
  const path = `contents[${index}]`;
  const parts = listOf(content.parts).map((part, at) => partOf(part, `${path}.parts[${at}]`));
  builder.message({ component: 'messages', role: stringOrNull(content.role) ?? 'user', path, index, parts });
}

function either(body: JsonObject, camel: string, snake: string): [unknown, string] {
  return body[camel] === undefined && body[snake] !== undefined ? [body[snake], snake] : [body[camel], camel];
}

function readSystem(body: JsonObject, builder: PromptBuilder): void {
  const [system, path] = either(body, 'systemInstruction', 'system_instruction');
  if (typeof system === 'string') {
    builder.add({ component: 'system', kind: 'text', path, leaves: [stringLeaf('text', '', system)] });
  } else if (isObject(system) && Array.isArray(system.parts)) {
    system.parts.forEach((part, index) =>
      builder.add({ component: 'system', ...partOf(part, `${path}.parts[${index}]`) }),
    );
  }
}

function readTools(tools: unknown, builder: PromptBuilder): void {
  listOf(tools).forEach((tool, index) => {
    if (!isObject(tool)) return;
    const [declarations, field] = either(tool, 'functionDeclarations', 'function_declarations');
    const path = `tools[${index}]`;
    if (!Array.isArray(declarations)) {
      const name = Object.keys(tool)[0] ?? String(index);
      builder.add({ component: 'tools', kind: 'tool', path, name, leaves: fixedLeaves(tool, []) });
      return;
    }
    declarations.forEach((declaration, at) => {
      if (!isObject(declaration)) return;
      const leaves = fixedLeaves(declaration, ['name', 'description', 'parameters', 'parametersJsonSchema']);
      const name = stringOrNull(declaration.name) ?? String(at);
      builder.add({ component: 'tools', kind: 'tool', path: `${path}.${field}[${at}]`, name, leaves });
    });
  });
}

const SCHEMA_FIELDS = ['responseSchema', 'responseJsonSchema', 'responseMimeType'] as const;

function readGenerationConfig(body: JsonObject, builder: PromptBuilder): void {
  const [value, path] = either(body, 'generationConfig', 'generation_config');
  const config = isObject(value) ? value : {};
  for (const field of SCHEMA_FIELDS) {
    const [setting, name] = either(
      config,
      field,
      field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    );
    builder.parameter(field, `${path}.${name}`, setting);
  }
  const [thinking, name] = either(config, 'thinkingConfig', 'thinking_config');
  builder.parameter('thinkingConfig', `${path}.${name}`, thinking);
}

function partOf(part: unknown, path: string): MessagePart {
  if (!isObject(part)) return { kind: 'text', path, leaves: [stringLeaf('text', '', String(part))] };
  const [call] = either(part, 'functionCall', 'function_call');
  const [response] = either(part, 'functionResponse', 'function_response');
  const called = isObject(call) ? call : isObject(response) ? response : {};
  return {
    kind: kindOf(part, call, response),
    path,
    name: stringOrNull(called.name) ?? undefined,
    callId: stringOrNull(called.id) ?? undefined,
    leaves: fixedLeaves(part, ['text', 'functionCall', 'functionResponse', 'inlineData', 'fileData'], {
      ignore: part.thought === false ? ['thought'] : [],
    }),
  };
}

function kindOf(part: JsonObject, call: unknown, response: unknown): SegmentKind {
  if (part.thought === true) return 'thinking';
  if (isObject(call)) return 'tool_use';
  if (isObject(response)) return 'tool_result';
  if (part.inlineData ?? part.inline_data ?? part.fileData ?? part.file_data) return 'media';
  return typeof part.text === 'string' ? 'text' : 'opaque';
}
