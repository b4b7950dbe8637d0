/** Cache marks in a request body, wherever its API lets them stand. A mark is no content: it comes and goes without it. */
import type { JsonObject, JsonValue } from '../../../src/exchange.ts';
import { isObject } from '../../../src/prompt/leaves.ts';

const MARK_FIELDS = ['cache_control', 'prompt_cache_breakpoint'] as const;

/** Every mark replaced by what `change` makes of it; `null` takes it away. The same body where nothing changed. */
export function mapMarks(body: JsonObject, change: (mark: JsonObject) => JsonObject | null): JsonObject {
  const onMessage = (message: JsonValue) => {
    const marked = mapOwn(message, change);
    return isObject(marked) && Array.isArray(marked.content)
      ? replaced(marked, 'content', mapBlocks(marked.content, change))
      : marked;
  };
  let next = mapOwn(body, change) as JsonObject; // an object stays one
  for (const field of ['tools', 'system'] as const)
    next = replaced(next, field, mapBlocks(next[field], change));
  for (const field of ['messages', 'input'] as const)
    next = replaced(next, field, mapList(next[field], onMessage));
  const { toolConfig } = next;
  return isObject(toolConfig)
    ? replaced(next, 'toolConfig', replaced(toolConfig, 'tools', mapBlocks(toolConfig.tools, change)))
    : next;
}

export function markOf(value: JsonValue | undefined): JsonObject | null {
  if (!isObject(value)) return null;
  for (const field of MARK_FIELDS) {
    const mark = value[field];
    if (isObject(mark)) return { [field]: mark };
  }
  return null;
}

export function withoutMark(value: JsonObject): JsonObject {
  const names = Object.keys(value).filter((name) => !MARK_FIELDS.some((field) => field === name));
  return names.length === Object.keys(value).length
    ? value
    : Object.fromEntries(names.map((name) => [name, value[name]]));
}

/** Bedrock's marks are elements of their own. */
export function isMarkElement(value: JsonValue | undefined): boolean {
  return isObject(value) && isObject(value.cachePoint);
}

function mapBlocks(
  blocks: JsonValue | undefined,
  change: (mark: JsonObject) => JsonObject | null,
): JsonValue | undefined {
  return mapList(blocks, (block) => {
    if (isObject(block) && isObject(block.cachePoint)) {
      const mark = change(block.cachePoint);
      return mark === null ? undefined : mark === block.cachePoint ? block : { ...block, cachePoint: mark };
    }
    const marked = mapOwn(block, change);
    // A mark inside a tool result counts for the block that holds it.
    return isObject(marked) && Array.isArray(marked.content)
      ? replaced(
          marked,
          'content',
          mapList(marked.content, (inner) => mapOwn(inner, change)),
        )
      : marked;
  });
}

function mapOwn(value: JsonValue, change: (mark: JsonObject) => JsonObject | null): JsonValue {
  if (!isObject(value)) return value;
  let next = value;
  for (const field of MARK_FIELDS) {
    const mark = next[field];
    if (!isObject(mark)) continue;
    const changed = change(mark);
    if (changed === null) next = withoutMark(next);
    else if (changed !== mark) next = { ...next, [field]: changed };
  }
  return next;
}

/** A list item by item; what becomes `undefined` is left out. The same list where nothing changed. */
export function mapList(
  list: JsonValue | undefined,
  change: (item: JsonValue) => JsonValue | undefined,
): JsonValue | undefined {
  if (!Array.isArray(list)) return list;
  const next = list.map(change).filter((item) => item !== undefined);
  return next.length === list.length && next.every((item, index) => item === list[index]) ? list : next;
}

/** The same object where the field is the same; without the field where it is `undefined`. */
export function replaced(object: JsonObject, field: string, value: JsonValue | undefined): JsonObject {
  if (object[field] === value) return object;
  if (value !== undefined) return { ...object, [field]: value };
  const { [field]: _gone, ...rest } = object;
  return rest;
}
