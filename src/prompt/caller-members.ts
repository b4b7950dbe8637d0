/** The members of a request body that may say who is calling; `suggested-scope.ts` says which of them counts for more. */
import type { JsonObject, JsonValue } from '../exchange.ts';

const NAMES = ['conversation', 'metadata', 'prompt_cache_key', 'session_id', 'user'];

export function callerMembersOf(body: JsonObject): JsonObject {
  const members: Record<string, JsonValue> = {};
  for (const name of NAMES) if (body[name] !== undefined) members[name] = body[name];
  return members;
}
