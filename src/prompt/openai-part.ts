/** What Chat Completions and Responses share: cache settings, and content parts. A string stands for one text part. */
import type { JsonObject } from '../exchange.ts';
import { type MessagePart, markOn, PLAIN_FACTS, type PromptFacts, stringOrNull, ttlMsOf } from './builder.ts';
import { fixedLeaves, isObject, stringLeaf } from './leaves.ts';
import type { SegmentKind } from './prompt.ts';

export function openaiFacts(body: JsonObject): PromptFacts {
  const options = isObject(body.prompt_cache_options) ? body.prompt_cache_options : {};
  return {
    ...PLAIN_FACTS,
    promptCacheKey: stringOrNull(body.prompt_cache_key),
    cacheMode: options.mode === 'explicit' ? 'explicit' : 'implicit',
    requestTtlMs: ttlMsOf(options.ttl) ?? ttlMsOf(body.prompt_cache_retention),
  };
}

export function partOf(part: unknown, path: string, textType: string): MessagePart {
  if (!isObject(part)) {
    const text = typeof part === 'string' ? part : JSON.stringify(part ?? '');
    return { kind: 'text', path, leaves: [stringLeaf('type', '', textType), stringLeaf('text', '', text)] };
  }
  const type = stringOrNull(part.type) ?? textType;
  const leaves = fixedLeaves(part, ['type', 'text', 'image_url', 'file_id'], { ignore: emptyFields(part) });
  if (part.type === undefined) leaves.unshift(stringLeaf('type', '', textType));
  const holdsImage = type.includes('image') || undefined;
  return { kind: kindOf(type), path, leaves, holdsImage, mark: markOn(part, path, part.text === '') };
}

/** Leading messages of these roles are the system prompt. */
export function isHeadRole(role: string): boolean {
  return role === 'system' || role === 'developer';
}

function kindOf(type: string): SegmentKind {
  if (/image|audio|file/.test(type)) return 'media';
  if (/thinking|reasoning/.test(type)) return 'thinking';
  return /text|refusal/.test(type) ? 'text' : 'opaque';
}

/** Output parts come back with empty lists that a client may drop when it replays them. */
function emptyFields(part: object): string[] {
  return Object.entries(part).flatMap(([key, value]) =>
    Array.isArray(value) && value.length === 0 ? [key] : [],
  );
}
