/**
 * Renders a Gemini request: system instruction, tools, tool config, contents. The order is not documented; what stands in a
 * cache object comes first (https://ai.google.dev/gemini-api/docs/caching), and this is what one can hold. Generation
 * settings are not documented as part of the prefix and are left out.
 */
import { isObject, objectsOf, renderFields, type Segment, stringOf } from './segments.ts';
import type { JsonObject, JsonValue } from './types.ts';

export function googleSegments(body: JsonObject): Segment[] {
  return [
    ...turnSegments('system', either(body, 'systemInstruction', 'system_instruction')),
    ...objectsOf(body.tools).flatMap(toolSegments),
    ...configSegment(either(body, 'toolConfig', 'tool_config')),
    ...contentsOf(body.contents).flatMap((content) =>
      turnSegments(stringOf(content.role) || 'user', content),
    ),
  ];
}

/** The API takes both spellings of each name. */
function either(object: JsonObject, camel: string, snake: string): JsonValue | undefined {
  return object[camel] ?? object[snake];
}

function contentsOf(contents: JsonValue | undefined): JsonObject[] {
  return isObject(contents) ? [contents] : objectsOf(contents);
}

function toolSegments(tool: JsonObject): Segment[] {
  const declarations = objectsOf(either(tool, 'functionDeclarations', 'function_declarations'));
  const tools = declarations.length > 0 ? declarations : [tool];
  return tools.map((each) => ({ kind: 'block', text: `tool\n${renderFields(each)}` }));
}

function configSegment(config: JsonValue | undefined): Segment[] {
  return isObject(config) ? [{ kind: 'parameter', text: `tool config\n${renderFields(config)}` }] : [];
}

function turnSegments(role: string, turn: JsonValue | undefined): Segment[] {
  if (!isObject(turn)) return [];
  return objectsOf(turn.parts).map((part, index) => ({
    kind: part.functionCall ? 'tool_use' : part.functionResponse ? 'tool_result' : 'block',
    // Only the first part names the role: two turns are not one turn of two parts.
    text: `${index === 0 ? `${role} ` : 'part '}${renderFields(part)}`,
  }));
}
