/**
 * What a caller of the model server sees.
 *
 * Reply: what the model answers. Fault: a failure to play instead. Record: what the server saw of one request.
 * Nothing in this folder imports from the rest of `src/`: the server is the measure that the engine is held against,
 * and shared code would share its mistakes.
 */

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue | undefined;
}

export type ModelApi =
  | 'anthropic.messages'
  | 'openai.chat'
  | 'openai.responses'
  | 'bedrock.converse'
  | 'google.generateContent'
  | 'google.cachedContents'
  | 'ollama.chat';

/** A request as the reply function sees it. */
export interface ModelRequest {
  /** Place among all requests that the server received, from 0. */
  readonly index: number;
  readonly api: ModelApi;
  readonly model: string;
  readonly isStreaming: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

export interface ToolCall {
  readonly name: string;
  readonly input: JsonObject;
  /** @default a new id per call, in the provider's form */
  readonly id?: string;
}

/** What the model answers; parts come in this order: thinking, text, tool calls. */
export interface Reply {
  readonly thinking?: string;
  readonly text?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** Sent as the provider's own cache diagnosis: `diagnostics` (Anthropic), `prompt_cache_diagnostics` (Responses). */
  readonly diagnostics?: JsonObject;
}

/** A failure to play instead of, or in the middle of, an answer. */
export type Fault =
  /** An error answer. It leaves no trace in the cache: the request was rejected. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** The connection breaks after so many chunks; with 0 before the first byte. A JSON answer breaks in its middle. */
  | { readonly kind: 'drop'; readonly afterChunks: number }
  /** The provider reports an error inside the stream after so many chunks, then ends it. */
  | { readonly kind: 'error-event'; readonly afterChunks: number; readonly message?: string }
  /** The stream goes on until the client leaves; a JSON answer never comes. */
  | { readonly kind: 'endless' };

/**
 * How the answer ended. `answered`: all of it was handed to the connection. `disconnected`: the client left first.
 * `dropped`: a fault broke the connection.
 */
export type Ending = 'answered' | 'disconnected' | 'dropped';

/** What the cache did with a request. `input` is all of the prompt: read + written + neither. */
export interface CacheFigures {
  readonly inputTokens: number;
  readonly readTokens: number;
  readonly writtenTokens: number;
  /** The written tokens by lifetime in milliseconds. */
  readonly writtenTokensByTtlMs: Readonly<Record<number, number>>;
}

export interface RecordedRequest {
  readonly index: number;
  readonly method: string;
  readonly path: string;
  /** As received, credentials included: they stay in this process. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it came over the wire. */
  readonly bodyText: string;
  /** Start of the request on the server's clock. */
  readonly atMs: number;
  readonly api?: ModelApi;
  /** HTTP status of the answer; absent while there is none. */
  readonly status?: number;
  /** The usage object of the answer, whether or not the stream got as far as sending it. */
  readonly usage?: JsonObject;
  readonly cache?: CacheFigures;
  readonly firstByteAtMs?: number;
  readonly endedAtMs?: number;
  readonly ending?: Ending;
  /** Events that left the process; 1 for a JSON answer. */
  readonly chunksWritten: number;
}
