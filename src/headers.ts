/**
 * Which request headers may enter an exchange. An allow-list, because a deny-list forgets the next credential.
 *
 * A header is on it for one of three reasons: it takes part in the prompt or its cache (`anthropic-beta`), it names the
 * conversation (`session_id`), or it tells a retry from a new call. Names are lower case.
 */

/** Name a conversation, the strongest first. `suggested-scope.ts` reads them in this order. */
export const SESSION_HEADERS = [
  'x-claude-code-session-id',
  'x-session-id',
  'session_id',
  'session-id',
  'x-opencode-session',
  'x-grok-conv-id',
  'x-conversation-id',
  'conversation_id',
  'thread-id',
  'helicone-session-id',
  'x-session-affinity',
] as const;

/** Name the sub-agent inside a conversation; the main agent sends none of them. */
export const DELEGATION_HEADERS = ['x-claude-code-agent-id'] as const;

/** Names one call of an AWS client, the same for all its attempts. */
export const INVOCATION_HEADER = 'amz-sdk-invocation-id';

const ALLOWED_HEADERS: ReadonlySet<string> = new Set([
  'anthropic-beta',
  'anthropic-version',
  'openai-beta',
  'x-dashscope-session-cache',
  // Both official SDKs number their attempts here, and nothing else ties the attempts of one call together.
  'x-stainless-retry-count',
  // The same of AWS clients: the call, and `attempt=2; max=3`.
  INVOCATION_HEADER,
  'amz-sdk-request',
  'x-claude-code-parent-agent-id',
  ...SESSION_HEADERS,
  ...DELEGATION_HEADERS,
]);

/** The allowed headers of a request, lower case; `undefined` where there are none. */
export function allowedHeaders(
  headers: Iterable<readonly [string, string]>,
): Readonly<Record<string, string>> | undefined {
  const allowed: Record<string, string> = {};
  let isEmpty = true;
  for (const [rawName, value] of headers) {
    const name = rawName.toLowerCase();
    if (!ALLOWED_HEADERS.has(name)) continue;
    // As HTTP has it: a header that is sent twice means the list of both values.
    allowed[name] = allowed[name] === undefined ? value : `${allowed[name]}, ${value}`;
    isEmpty = false;
  }
  return isEmpty ? undefined : allowed;
}
