/**
 * Renders what Chat Completions and Responses share: settings, then tools, then messages, one flat prefix in which the
 * first difference ends reuse. Source: https://developers.openai.com/api/docs/guides/prompt-caching
 *
 * The settings are those that the guide names as part of the prefix. Where in it each stands is not documented, except
 * that an output schema is rendered ahead of the system message; here all stand first, so changing one loses everything.
 */
import { OPENAI } from './rules.ts';
import { isObject, objectsOf, renderFields, type Segment, stringOf } from './segments.ts';
import type { JsonObject, JsonValue } from './types.ts';

/** A message or item, as far as caching cares. */
export interface Turn {
  readonly role: 'developer' | 'user' | 'assistant' | 'tool';
  readonly segments: readonly Segment[];
}

export interface OpenAiPrompt {
  readonly segments: readonly Segment[];
  /** The number of segments before the end of the initial developer messages; 0 where there are none. */
  readonly developerBoundary: number;
}

/** Parts that hold text under different names and are the same to the model. */
const TEXT_PARTS = new Set(['text', 'input_text', 'output_text']);
const MARK = 'prompt_cache_breakpoint';

export function renderOpenAiPrompt(
  settings: readonly Segment[],
  tools: readonly Segment[],
  turns: readonly Turn[],
): OpenAiPrompt {
  const segments: Segment[] = [...settings, ...tools];
  let developerBoundary = 0;
  let isInitialGroup = true;
  for (const [index, turn] of turns.entries()) {
    const next = turns[index + 1]?.role;
    isInitialGroup &&= turn.role === 'developer';
    const isEligibleEnd =
      turn.role === 'user' ||
      (turn.role === 'tool' && next !== 'tool') ||
      (turn.role === 'developer' && isInitialGroup && next !== 'developer');
    for (const [part, segment] of turn.segments.entries()) {
      const isLast = part === turn.segments.length - 1;
      segments.push(isEligibleEnd && isLast ? { ...segment, isEligibleEnd: true } : segment);
    }
    if (isInitialGroup) developerBoundary = segments.length;
  }
  return { segments, developerBoundary };
}

/** A setting left out and a setting at its documented default are the same. */
export function setting(
  name: string,
  value: JsonValue | undefined,
  documentedDefault?: JsonValue,
): Segment[] {
  if (value === undefined || value === null || JSON.stringify(value) === JSON.stringify(documentedDefault))
    return [];
  return [{ kind: 'parameter', text: `setting ${name}\n${JSON.stringify(value)}` }];
}

/** `auto` and `default` are served by the same tier unless a project says otherwise. */
export function serviceTierSetting(tier: JsonValue | undefined): Segment[] {
  return tier === 'auto' ? [] : setting('service_tier', tier, 'default');
}

/** A tool, flat (Responses) or with its fields under `function` (Chat). */
export function toolSegment(tool: JsonObject): Segment {
  const inner = isObject(tool.function) ? renderFields(tool.function) : '';
  return { kind: 'block', text: `tool\n${renderFields(tool, ['function', MARK])}\n${inner}` };
}

/** One segment a content part; a string is one text part. */
export function contentSegments(
  role: string,
  content: JsonValue | undefined,
  defaultTtlMs: number,
): Segment[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);
  return parts.map((part, index) => ({
    kind: 'block',
    // Only the first part names the role: two messages are not one message of two parts.
    text: `${index === 0 ? `${role} ` : 'part '}${renderPart(part)}`,
    ...markTtl(part, defaultTtlMs),
  }));
}

function renderPart(part: JsonObject): string {
  const type = stringOf(part.type);
  if (TEXT_PARTS.has(type)) return `text\n${stringOf(part.text)}`;
  return `${type}\n${renderFields(part, ['type', MARK])}`;
}

function markTtl(part: JsonObject, defaultTtlMs: number): Pick<Segment, 'markTtlMs'> {
  const mark = part[MARK];
  if (!isObject(mark)) return {};
  return { markTtlMs: OPENAI.ttlMs[stringOf(mark.ttl)] ?? defaultTtlMs };
}
