/** Renders a Responses request; earlier items that the server holds (`previous_response_id`) come first. */
import { defaultTtlMs } from './openai-cache.ts';
import {
  contentSegments,
  type OpenAiPrompt,
  renderOpenAiPrompt,
  serviceTierSetting,
  setting,
  type Turn,
  toolSegment,
} from './openai-prompt.ts';
import { isObject, objectsOf, renderFields, stringOf } from './segments.ts';
import type { JsonObject, JsonValue } from './types.ts';

/** A string is one user message. */
export function inputItems(input: JsonValue | undefined): JsonObject[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : objectsOf(input);
}

export function renderResponsesPrompt(body: JsonObject, items: readonly JsonObject[]): OpenAiPrompt {
  const { text, reasoning, instructions } = body;
  const settings = [
    ...setting('text.format', isObject(text) ? text.format : undefined, { type: 'text' }),
    ...setting('reasoning.effort', isObject(reasoning) ? reasoning.effort : undefined),
    ...setting('text.verbosity', isObject(text) ? text.verbosity : undefined, 'medium'),
    ...setting('parallel_tool_calls', body.parallel_tool_calls, true),
    ...setting('context_management', body.context_management),
    ...serviceTierSetting(body.service_tier),
  ];
  const ttlMs = defaultTtlMs(body);
  const developer: Turn[] =
    typeof instructions === 'string'
      ? [{ role: 'developer', segments: contentSegments('developer', instructions, ttlMs) }]
      : [];
  const turns = items.map((item) => turnOf(item, ttlMs));
  return renderOpenAiPrompt(settings, objectsOf(body.tools).map(toolSegment), [...developer, ...turns]);
}

function turnOf(item: JsonObject, ttlMs: number): Turn {
  const type = stringOf(item.type) || 'message';
  if (type === 'message') return messageTurn(item, ttlMs);
  // Item ids count: replaying a call under another id was measured as a miss (case CB-18).
  if (!type.endsWith('_output')) {
    const text = `${type}\n${renderFields(item, ['type', 'status'])}`;
    return { role: 'assistant', segments: [{ kind: 'block', text }] };
  }
  const head = `${type} ${renderFields(item, ['type', 'status', 'output'])}`;
  const { output } = item;
  if (typeof output === 'string' || Array.isArray(output)) {
    return { role: 'tool', segments: contentSegments(head, output, ttlMs) };
  }
  return { role: 'tool', segments: [{ kind: 'block', text: `${head}\n${JSON.stringify(output)}` }] };
}

function messageTurn(item: JsonObject, ttlMs: number): Turn {
  const role = stringOf(item.role);
  const others = renderFields(item, ['type', 'status', 'role', 'content']);
  const segments = contentSegments(others === '' ? role : `${role} ${others}`, item.content, ttlMs);
  if (role === 'system' || role === 'developer') return { role: 'developer', segments };
  return { role: role === 'user' ? 'user' : 'assistant', segments };
}
