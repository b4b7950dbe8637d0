/**
 * A model API on loopback, with a prompt cache that follows the providers' documented rules.
 *
 * The clock decides about lifetimes in the cache and nothing else; delays are real milliseconds.
 * Order of one request: read it, play a status fault, ask the cache, wait, begin the answer (entries become readable),
 * send it.
 */
import type { ServerState } from './answer.ts';
import { BoundaryCache } from './boundary-cache.ts';
import { listen } from './listener.ts';
import { handleRequest } from './request-handler.ts';
import { SharedPrefixCache } from './shared-prefix-cache.ts';
import type { Fault, ModelRequest, RecordedRequest, Reply } from './types.ts';

export interface ModelServerOptions {
  /** @default 0: any free port */
  readonly port?: number;
  /** The clock, milliseconds since the epoch; `advance()` is added to it. @default Date.now */
  readonly now?: () => number;
  /** What the model answers. @default a short text, always the same */
  readonly reply?: (request: ModelRequest) => Reply | undefined;
  /** Real time from the request to the first byte of an answer. @default 0 */
  readonly firstByteDelayMs?: number;
  /** Real time between the events of a stream. @default 0 */
  readonly chunkDelayMs?: number;
  /** Holds back the first byte until it resolves, so that a test can have two requests in flight without sleeping. */
  readonly beforeFirstByte?: (request: ModelRequest) => Promise<void> | undefined;
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT`. Base URL for Anthropic's SDK; OpenAI's wants `/v1` after it. */
  readonly url: string;
  /** Every request received, in order of arrival; a record fills up while its request is answered. */
  readonly requests: readonly RecordedRequest[];
  /** The server's clock. */
  nowMs(): number;
  /** Moves the clock forward. */
  advance(durationMs: number): void;
  /** Plays the fault instead of an answer for the next so many requests. Faults queue up. @default times 1 */
  failNext(fault: Fault, times?: number): void;
  /** Forgets all cache entries, stored responses and faults that have not been played. Records stay. */
  reset(): void;
  /** Resolves when no request is being answered: all records are complete then. */
  idle(): Promise<void>;
  /** Breaks open connections and frees the port. */
  close(): Promise<void>;
}

export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const now = options.now ?? Date.now;
  const requests: RecordedRequest[] = [];
  const faults: Fault[] = [];
  const inFlight = new Set<Promise<void>>();
  const state: ServerState = {
    boundaryCache: new BoundaryCache(),
    sharedPrefixCache: new SharedPrefixCache(),
    storedItems: new Map(),
  };
  let advancedMs = 0;
  let lastId = 0;
  const nowMs = () => now() + advancedMs;

  const listener = await listen(options.port ?? 0, (request, response) => {
    const handling = handleRequest(request, response, {
      options,
      state,
      requests,
      nowMs,
      takeFault: () => faults.shift(),
      newId: (start) => {
        lastId += 1;
        return `${start}${String(lastId).padStart(12, '0')}`;
      },
    }).finally(() => inFlight.delete(handling));
    inFlight.add(handling);
  });

  return {
    url: `http://127.0.0.1:${listener.port}`,
    requests,
    nowMs,
    advance: (durationMs) => {
      advancedMs += durationMs;
    },
    failNext: (fault, times = 1) => {
      for (let count = 0; count < times; count++) faults.push(fault);
    },
    reset: () => {
      state.boundaryCache.clear();
      state.sharedPrefixCache.clear();
      state.storedItems.clear();
      faults.length = 0;
    },
    idle: async () => {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
    close: () => listener.close(),
  };
}
