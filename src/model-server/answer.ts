/**
 * What each API module does: read a request, ask the cache, and put the reply into the provider's shapes.
 */
import type { BoundaryCache } from './boundary-cache.ts';
import type { ProviderError } from './provider-error.ts';
import type { SharedPrefixCache } from './shared-prefix-cache.ts';
import type { Pieces } from './sse.ts';
import type { CacheFigures, JsonObject, ModelApi, ModelRequest, Reply } from './types.ts';

/** One event as it goes over the wire. */
export type Chunk = string | Uint8Array;

/** All that the server keeps between requests. */
export interface ServerState {
  readonly boundaryCache: BoundaryCache;
  readonly sharedPrefixCache: SharedPrefixCache;
  /** Input and output items by response id, for `previous_response_id`. */
  readonly storedItems: Map<string, readonly JsonObject[]>;
}

export interface AnswerContext {
  readonly state: ServerState;
  /** Equal for equal credentials. */
  readonly account: string;
  readonly nowMs: number;
  readonly reply: Reply;
  /** A new id with this start: `msg_`, `toolu_` … */
  newId(start: string): string;
}

export interface Answer {
  readonly figures: CacheFigures;
  readonly usage: JsonObject;
  readonly json: JsonObject;
  events(pieces: Pieces): Iterable<Chunk>;
  /** The answer begins: what the request wrote to the cache can be read from now on. */
  begin(): void;
}

export interface ApiModule {
  readonly api: ModelApi;
  /** Matched against the path without its query. A group `model` is the model, else the body names it. */
  readonly path: RegExp;
  /** How a request asks for a stream: some APIs say it in the body, some by the path. */
  isStreaming(body: JsonObject, path: string): boolean;
  /** The content type of its streams. */
  readonly streamType: string;
  /** Throws `ProviderError` for a request that the API rejects. */
  answer(request: ModelRequest, context: AnswerContext): Answer;
  errorBody(error: ProviderError, requestId: string): JsonObject;
  /** An error inside a stream that has begun. */
  errorEvent(error: ProviderError, requestId: string): Chunk;
  /** What an error says in the headers as well. */
  errorHeaders?(error: ProviderError): Readonly<Record<string, string>>;
  readonly requestIdHeader: string;
}
