/** The parts of a prompt's head with their texts: what is counted, and what of it could be shorter. Pure. */
import type { FloorPart } from '../../src/diagnosis.ts';
import type { JsonObject, JsonValue } from '../../src/exchange.ts';
import { isObject } from '../../src/prompt/leaves.ts';
import { type Prompt, textOf } from '../../src/prompt/prompt.ts';
import { floorComponent, floorLabel } from '../../src/tokens/floor.ts';
import { jsonText, type SchemaNote, schemaNotes } from './schema-notes.ts';

export interface HeadPart {
  readonly component: FloorPart['component'];
  readonly label: string;
  /** All of it, in the form that is nearest to what the model reads. */
  readonly text: string;
  /** Of a tool. */
  readonly name: string;
  readonly description: string;
  readonly notes: readonly SchemaNote[];
  /** A tool of the application's own, which the model calls by this name; tools of the provider's have no schema here. */
  readonly isFunction: boolean;
}

export function headParts(prompt: Prompt, body: JsonObject): HeadPart[] {
  return prompt.segments.slice(0, prompt.headLength).flatMap((segment): HeadPart[] => {
    const component = floorComponent(segment);
    if (component === null) return [];
    const part = { component, label: floorLabel(segment), ...NO_TOOL };
    if (component === 'system') return [{ ...part, text: textOf(segment) }];
    const value = valueAt(body, segment.path);
    if (!isObject(value)) return [{ ...part, text: textOf(segment) }];
    return [{ ...part, ...(component === 'tools' ? toolOf(value) : responseSchemaOf(value)) }];
  });
}

const NO_TOOL = { name: '', description: '', notes: [], isFunction: false };

function toolOf(tool: JsonObject): Omit<HeadPart, 'component' | 'label'> {
  const definition = [tool.function, tool.toolSpec].find(isObject) ?? tool;
  const { cache_control: _mark, prompt_cache_breakpoint: _breakpoint, ...rendered } = definition;
  const schema = schemaOf(definition);
  return {
    text: jsonText(rendered),
    name: textOr(definition.name),
    description: textOr(definition.description),
    notes: schemaNotes(schema),
    isFunction: schema !== undefined,
  };
}

const SCHEMA_FIELDS = ['input_schema', 'parameters', 'parametersJsonSchema', 'parameters_json_schema'];

function schemaOf(definition: JsonObject): JsonValue | undefined {
  const { inputSchema } = definition;
  if (isObject(inputSchema)) return isObject(inputSchema.json) ? inputSchema.json : inputSchema;
  return SCHEMA_FIELDS.map((field) => definition[field]).find(isObject);
}

function responseSchemaOf(format: JsonObject): Pick<HeadPart, 'text' | 'notes'> {
  const named = isObject(format.json_schema) ? format.json_schema : format;
  return { text: jsonText(format), notes: schemaNotes(isObject(named.schema) ? named.schema : named) };
}

function textOr(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Paths of the head are names and numbers: `toolConfig.tools[2]`. */
function valueAt(body: JsonObject, path: string): unknown {
  let value: unknown = body;
  for (const step of path.split(/[.[\]]+/).filter((name) => name !== '')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

/** Equal for heads that say the same. */
export function headKey(parts: readonly HeadPart[]): string {
  return parts.map(({ label, text }) => `${label}\u0001${text}`).join('\u0002');
}
