/**
 * Exchange: one HTTP attempt against a model API, request as sent and response as received.
 * Call: one logical model call; its retries are exchanges of the same call.
 * Scope: who is calling: `thread` (conversation), `phase` (planner, worker …), `delegation` (which sub-agent instance).
 *
 * Everything that can see model traffic (a wrapped client, a log file, a test) makes exchanges and nothing else.
 * Invariant: no credential is ever part of an exchange; `account` only tells equal credentials from different ones.
 */

export const APIS = [
  'anthropic.messages',
  'openai.chat',
  'openai.responses',
  'google.generateContent',
  'bedrock.converse',
] as const;

/** The request form that was spoken, whoever answered: OpenRouter speaks `openai.chat`, Bedrock InvokeModel `anthropic.messages`. */
export type Api = (typeof APIS)[number];

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue | undefined;
}

/** Who is calling. A part that nobody named is `undefined`; it is never made up. */
export interface Scope {
  /** The conversation. */
  readonly thread?: string | undefined;
  /** The role of the step inside an agent: planner, worker, summariser … */
  readonly phase?: string | undefined;
  /** Which sub-agent instance. */
  readonly delegation?: string | undefined;
}

/** How the reading of a response ended. `canceled`: the caller stopped; `failed`: HTTP or network error. */
export type Ending = 'completed' | 'canceled' | 'failed';

export interface ExchangeRequest {
  readonly api: Api;
  /** The body as sent: JSON text where the bytes are known, else its parsed value. */
  readonly body: string | JsonObject;
  /** Where the API takes the model from the URL (Gemini, Bedrock). */
  readonly model?: string | undefined;
  /** Start of the request, milliseconds since the epoch. */
  readonly atMs?: number | undefined;
  /** Host name, with port where it is not the default one. */
  readonly endpoint?: string | undefined;
  /** Lower-case names, from the allow-list of `headers.ts` alone. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A keyed hash of the credential: equal for equal credentials, of no other use. */
  readonly account?: string | undefined;
  /** What the application declared. */
  readonly scope: Scope;
  /** `gen_ai.conversation.id` of the span around the call. */
  readonly conversationId?: string | undefined;
  /**
   * What the traffic suggests where the application declared nothing: a hint, never a wall between calls. Absent where no
   * source knows better than the headers and the body, which the engine asks.
   */
  readonly suggestedScope?: Scope | undefined;
  /** Set by `expectRebuild(reason)`: the next divergence is intended. */
  readonly expectedRebuild?: string | undefined;
}

export interface ExchangeResponse {
  readonly ending: Ending;
  readonly status?: number | undefined;
  readonly id?: string | undefined;
  /** The model that answered, which may be another than the one asked for. */
  readonly model?: string | undefined;
  /** The upstream that an aggregator chose (OpenRouter's `provider`). */
  readonly provider?: string | undefined;
  /** The tier that served the request. */
  readonly serviceTier?: string | undefined;
  /** The usage object as the API returned it. Absent is unknown, not zero. */
  readonly usage?: unknown;
  /** Milliseconds since the epoch. */
  readonly firstByteAtMs?: number | undefined;
  /** Of a stream, as its reader got it; absent where the response was none. */
  readonly firstChunkAtMs?: number | undefined;
  readonly completedAtMs?: number | undefined;
  readonly error?: { readonly type?: string | undefined; readonly message?: string | undefined } | undefined;
  /** HTTP attempts that the call took, this one included; absent where only this one was seen. */
  readonly attempts?: number | undefined;
  /** How long the server asked to wait before another attempt. */
  readonly retryAfterMs?: number | undefined;
  /** The provider's own cache diagnosis, as returned (`diagnostics`, `prompt_cache_diagnostics`). */
  readonly diagnostics?: unknown;
}

export interface Exchange extends ExchangeRequest {
  readonly response?: ExchangeResponse | undefined;
}
