/**
 * Attributes that spell a list in their names (`llm.tools.0.tool.json_schema`) → the list. Pure.
 *
 * Two instrumentations flatten prompts so, as span attributes know no objects.
 */

import type { JsonObject, JsonValue } from '../exchange.ts';
import { isJsonObject } from '../json-value.ts';

type Branch = { [name: string]: Branch | JsonValue };

/** No prompt has so many; a name with a larger number is not followed. */
const MAX_INDEX = 100_000;

/** The elements under `prefix.0`, `prefix.1` …, in order; `undefined` where there is none. */
export function nestedList(attributes: JsonObject, prefix: string): JsonObject[] | undefined {
  const root: Branch = Object.create(null);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && name.startsWith(`${prefix}.`))
      plant(root, name.slice(prefix.length + 1).split('.'), value);
  }
  const list = listed(root);
  const elements = Array.isArray(list) ? list.filter(isJsonObject) : [];
  return elements.length === 0 ? undefined : elements;
}

function plant(root: Branch, path: readonly string[], value: JsonValue): void {
  let branch = root;
  for (const step of path.slice(0, -1)) {
    const next = Object.hasOwn(branch, step) ? branch[step] : undefined;
    const inner: Branch = isJsonObject(next) ? (next as Branch) : Object.create(null);
    branch[step] = inner;
    branch = inner;
  }
  const last = path.at(-1);
  if (last !== undefined) branch[last] = value;
}

/** Branches whose names are all numbers are lists. */
function listed(value: Branch | JsonValue): JsonValue {
  if (!isJsonObject(value)) return value as JsonValue;
  const entries = Object.entries(value).map(([name, inner]) => [name, listed(inner as JsonValue)] as const);
  const isList =
    entries.length > 0 && entries.every(([name]) => /^\d{1,6}$/.test(name) && Number(name) <= MAX_INDEX);
  if (!isList) return Object.fromEntries(entries);
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, inner]) => inner);
}
