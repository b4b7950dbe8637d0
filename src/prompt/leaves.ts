/**
 * Leaves of JSON values. `opaqueLeaves` keeps key order and array order, because schemas and arguments are rendered as
 * they were written; `fixedLeaves` reads an object of the API itself, whose fields may come in any order.
 */
import type { JsonObject, JsonValue } from '../exchange.ts';
import type { Leaf } from './prompt.ts';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list, or nothing where the field holds something else. */
export function listOf(value: unknown): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

export function stringLeaf(slot: string, at: string, text: string): Leaf {
  return { slot, at, text, isString: true };
}

/** Bodies may be nested as deep as an attacker likes; deeper than this is rendered as one string. */
const DEEPEST = 64;

function opaqueLeaves(value: JsonValue | undefined, slot: string, at: string, depth = 0): Leaf[] {
  const leaves: Leaf[] = [];
  collect(value, slot, at, depth, leaves);
  return leaves;
}

function collect(value: unknown, slot: string, at: string, depth: number, leaves: Leaf[]): void {
  if (typeof value === 'string') {
    leaves.push({ slot, at, text: value, isString: true });
  } else if (typeof value !== 'object' || value === null) {
    leaves.push({ slot, at, text: String(value), isString: false });
  } else if (depth >= DEEPEST) {
    leaves.push({ slot, at, text: shallowText(value), isString: false });
  } else if (Array.isArray(value)) {
    if (value.length === 0) leaves.push({ slot, at, text: '[]', isString: false });
    for (let index = 0; index < value.length; index += 1) {
      collect(value[index], `${slot}[${index}]`, `${at}[${index}]`, depth + 1, leaves);
    }
  } else {
    const keys = Object.keys(value);
    leaves.push({ slot, at, text: `{${keys.join(',')}}`, isString: false });
    for (const key of keys) {
      collect((value as JsonObject)[key], `${slot}.${key}`, `${at}.${key}`, depth + 1, leaves);
    }
  }
}

function shallowText(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '[too deep]';
  }
}

/** Cache marks are not content, wherever they stand in an object of the API. */
const MARK_FIELDS: ReadonlySet<string> = new Set(['cache_control', 'cachePoint', 'prompt_cache_breakpoint']);

/** Fields whose value is an object of the API again: its fields may come in any order. Everything else nested is opaque. */
const API_OBJECTS: ReadonlySet<string> = new Set([
  'audio',
  'caller',
  'document',
  'file',
  'file_data',
  'fileData',
  'format',
  'function',
  'function_call',
  'functionCall',
  'function_response',
  'functionResponse',
  'functionCallingConfig',
  'function_calling_config',
  'image',
  'image_url',
  'inlineData',
  'inline_data',
  'input_audio',
  'json_schema',
  'reasoningContent',
  'reasoningText',
  's3Location',
  'source',
  'video',
]);

/** Fields whose items are objects of the API. */
const API_LISTS: ReadonlySet<string> = new Set(['content', 'summary', 'reasoning_details']);

/** The fields that say what an object is come first: a difference there explains the ones behind it. */
const TELLING_FIELDS = ['type', 'id', 'name', 'media_type', 'mimeType', 'mime_type', 'format'];

export interface FixedLeavesOptions {
  readonly at?: string;
  readonly slot?: string;
  readonly ignore?: readonly string[];
}

/**
 * Reads an object of the API: the named fields first and in the given order, then whatever else it holds in sorted
 * order, so that a field which is newer than this code still counts.
 */
export function fixedLeaves(
  value: JsonObject,
  order: readonly string[],
  options: FixedLeavesOptions = {},
): Leaf[] {
  const at = options.at ?? '';
  const prefix = options.slot === undefined || options.slot === '' ? '' : `${options.slot}.`;
  const leaves: Leaf[] = [];
  const read = (key: string) => {
    const field = value[key];
    if (field === undefined || field === null) return;
    const slot = `${prefix}${key}`;
    if (Array.isArray(field) && API_LISTS.has(key)) {
      field.forEach((item, index) => {
        const place = { at: `${at}.${key}[${index}]`, slot: `${slot}[${index}]` };
        if (isObject(item)) for (const leaf of fixedLeaves(item, TELLING_FIELDS, place)) leaves.push(leaf);
        else collect(item, place.slot, place.at, 2, leaves);
      });
      return;
    }
    if (isObject(field) && API_OBJECTS.has(key)) {
      for (const leaf of fixedLeaves(field, TELLING_FIELDS, { at: `${at}.${key}`, slot })) leaves.push(leaf);
    } else {
      collect(field, slot, `${at}.${key}`, 1, leaves);
    }
  };
  for (const key of order) read(key);
  const others: string[] = [];
  for (const key of Object.keys(value)) {
    if (!order.includes(key) && !MARK_FIELDS.has(key) && options.ignore?.includes(key) !== true)
      others.push(key);
  }
  if (others.length > 1) others.sort();
  for (const key of others) read(key);
  return leaves;
}

/** A setting: an object of the API or a plain value. */
export function settingLeaves(value: JsonValue, slot: string): Leaf[] {
  if (isObject(value)) return fixedLeaves(value, TELLING_FIELDS, { slot });
  return opaqueLeaves(value, slot, '');
}
