/**
 * What a JSON schema says beside its rules: keys that no validator needs. A property may be called `title`, and an enum
 * may hold an object with a `description`: only keys of schemas themselves count. Pure.
 */
import type { JsonValue } from '../../src/exchange.ts';
import { isObject } from '../../src/prompt/leaves.ts';

export interface SchemaNote {
  readonly key: string;
  /** Where the schema that it belongs to stands, from the root: `properties.query`; empty for the root itself. */
  readonly at: string;
  /** As it is written in JSON, key included. */
  readonly json: string;
}

/** Annotations of JSON Schema 2020-12 and of OpenAPI 3.1, and what editors add. `format` is left out: some validators hold to it. */
const NOTES: ReadonlySet<string> = new Set([
  '$comment',
  '$schema',
  'default',
  'deprecated',
  'description',
  'enumDescriptions',
  'example',
  'examples',
  'externalDocs',
  'markdownDescription',
  'readOnly',
  'title',
  'writeOnly',
]);

/** Keys whose values are schemas by name. */
const SCHEMAS_BY_NAME: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** Keys whose value is a schema or a list of them. */
const SCHEMAS: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'allOf',
  'anyOf',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'oneOf',
  'prefixItems',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

/** A log may hold anything; no schema that somebody wrote is nested so deep. */
const DEEPEST = 64;

export function schemaNotes(schema: JsonValue | undefined): SchemaNote[] {
  const notes: SchemaNote[] = [];
  collect(schema, '', 0, notes);
  return notes;
}

function collect(schema: JsonValue | undefined, at: string, depth: number, notes: SchemaNote[]): void {
  if (!isObject(schema) || depth > DEEPEST) return;
  for (const [key, value] of Object.entries(schema)) {
    const place = at === '' ? key : `${at}.${key}`;
    if (NOTES.has(key) || key.startsWith('x-')) notes.push({ key, at, json: `"${key}":${jsonText(value)}` });
    else if (SCHEMAS_BY_NAME.has(key) && isObject(value)) {
      for (const [name, inner] of Object.entries(value)) collect(inner, `${place}.${name}`, depth + 1, notes);
    } else if (SCHEMAS.has(key)) {
      if (Array.isArray(value))
        value.forEach((inner, index) => collect(inner, `${place}[${index}]`, depth + 1, notes));
      else collect(value, place, depth + 1, notes);
    }
  }
}

/** Empty for what is nested too deep to be written. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}
