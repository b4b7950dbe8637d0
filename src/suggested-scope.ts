/**
 * What the traffic itself says about who is calling: session headers, cache keys, conversation ids, user ids.
 *
 * A suggestion is a hint and kept apart from the scope that the application declared: a cache key may be shared by many
 * conversations, and a user may have several.
 */
import type { JsonObject, JsonValue, Scope } from './exchange.ts';
import { DELEGATION_HEADERS, SESSION_HEADERS } from './headers.ts';
import { nodeCrypto } from './node-crypto.ts';

export interface Traffic {
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The request body, or at least its `callerMembersOf`. */
  readonly body?: JsonObject | undefined;
  /** `gen_ai.conversation.id` of the span around the call. */
  readonly conversationId?: string | undefined;
}

/** The strongest hint wins: a session id, then a conversation, then a cache key, then a user. */
export function suggestScope({ headers = {}, body = {}, conversationId }: Traffic): Scope | undefined {
  const userId = text(member(body.metadata, 'user_id'));
  const thread =
    firstHeader(headers, SESSION_HEADERS) ??
    (userId === undefined ? undefined : sessionOf(userId)) ??
    text(body.session_id) ??
    text(body.conversation) ??
    text(member(body.conversation, 'id')) ??
    text(conversationId) ??
    text(body.prompt_cache_key) ??
    userMark(userId ?? text(body.user));
  const delegation = firstHeader(headers, DELEGATION_HEADERS);
  if (thread === undefined && delegation === undefined) return undefined;
  return { ...(thread !== undefined && { thread }), ...(delegation !== undefined && { delegation }) };
}

/** Claude Code hides its session in the user id: `user_…_account_…_session_ID`, in newer versions as JSON. */
function sessionOf(userId: string): string | undefined {
  if (userId.startsWith('{')) {
    try {
      return text(member(JSON.parse(userId) as JsonValue, 'session_id'));
    } catch {
      return undefined;
    }
  }
  return /^user_.*_session_([\w-]+)$/.exec(userId)?.[1];
}

/** A user is not a conversation, and the id may be a person's: a short hash tells users apart and says no more. */
function userMark(userId: string | undefined): string | undefined {
  if (userId === undefined) return undefined;
  return `user:${nodeCrypto().createHash('sha256').update(userId).digest('hex').slice(0, 8)}`;
}

function firstHeader(
  headers: Readonly<Record<string, string>>,
  names: readonly string[],
): string | undefined {
  for (const name of names) {
    const value = text(headers[name]);
    if (value !== undefined) return value;
  }
  return undefined;
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return (value as JsonObject)[name];
}

function text(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const trimmed = value.trim();
  return trimmed === '' ? undefined : trimmed;
}
