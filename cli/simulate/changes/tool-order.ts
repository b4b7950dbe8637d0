/** Tools of every API's body in another order. Marks stay at their places in the list: they are no part of a tool. */
import type { Api, JsonObject, JsonValue } from '../../../src/exchange.ts';
import { isObject } from '../../../src/prompt/leaves.ts';
import { isMarkElement, mapList, markOf, replaced, withoutMark } from './body-marks.ts';

/** `rankOf` gets all names of one list; lower ranks come first, equal ones stay in their order. */
export type ToolRanks = (names: readonly string[]) => (name: string) => number;

export function reorderTools(api: Api, body: JsonObject, ranks: ToolRanks): JsonObject {
  if (api === 'bedrock.converse') {
    const { toolConfig } = body;
    if (!isObject(toolConfig)) return body;
    return replaced(body, 'toolConfig', replaced(toolConfig, 'tools', reordered(toolConfig.tools, ranks)));
  }
  if (api === 'google.generateContent') {
    const tools = mapList(body.tools, (tool) => {
      if (!isObject(tool)) return tool;
      const field =
        tool.functionDeclarations === undefined ? 'function_declarations' : 'functionDeclarations';
      return replaced(tool, field, reordered(tool[field], ranks));
    });
    return replaced(body, 'tools', tools);
  }
  const field = Array.isArray(body.tools) ? 'tools' : 'functions';
  return replaced(body, field, reordered(body[field], ranks));
}

function reordered(list: JsonValue | undefined, ranks: ToolRanks): JsonValue | undefined {
  if (!Array.isArray(list)) return list;
  const tools = list.filter((tool): tool is JsonObject => isObject(tool) && !isMarkElement(tool));
  const rankOf = ranks(tools.map(nameOf));
  const sorted = [...tools].sort((left, right) => rankOf(nameOf(left)) - rankOf(nameOf(right)));
  if (sorted.every((tool, index) => tool === tools[index])) return list;
  let next = 0;
  return list.map((place) => {
    if (!isObject(place) || isMarkElement(place)) return place;
    const tool = sorted[next++] as JsonObject; // as many as places
    return { ...withoutMark(tool), ...markOf(place) };
  });
}

function nameOf(tool: JsonObject): string {
  const inner = [tool, tool.function, tool.toolSpec].find(
    (part) => isObject(part) && typeof part.name === 'string',
  );
  const name = isObject(inner) ? inner.name : (tool.server_label ?? tool.type);
  return typeof name === 'string' ? name : '';
}
