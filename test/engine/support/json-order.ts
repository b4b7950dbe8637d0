/** Key order of JSON: of the fields that an API fixes, which means nothing, and of what it passes on, which does. */
import type { JsonObject, JsonValue } from '../../../src/exchange.ts';

/** What these hold is passed on to the model as it was written; `summary` is an open fault (see `open-faults.test.ts`). */
const OPAQUE = new Set([
  'summary',
  'input_schema',
  'parameters',
  'parametersJsonSchema',
  'json',
  'args',
  'response',
  'schema',
  'responseJsonSchema',
]);

/** Another order of all fixed fields; `order` sorts the keys of one object. */
export function reorderFixed(value: JsonValue, order: (keys: readonly string[]) => string[]): JsonValue {
  if (Array.isArray(value)) return value.map((item) => reorderFixed(item, order));
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as JsonObject;
  return Object.fromEntries(
    order(Object.keys(fields)).map((key) => {
      const field = fields[key];
      // `input` is a list of items in one API and the arguments of a call in others.
      const isOpaque = OPAQUE.has(key) || (key === 'input' && !Array.isArray(field));
      return [key, field === undefined || isOpaque ? field : reorderFixed(field, order)];
    }),
  );
}

/** The same value with the keys of its objects the other way round. */
export function reversedKeys(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).reverse());
}
