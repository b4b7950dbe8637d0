/**
 * A `fetch` that records model calls: dispatches first, then reads what was sent, then follows the response.
 *
 * Invariant: the caller gets what the inner `fetch` gave. The arguments go on as they came; a throw, a rejection, and all
 * that is no model call are the very same objects; a response is the same in all that can be seen, its body observed.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scope } from '../exchange.ts';
import { guard } from '../guard.ts';
import { type OpenExchange, openExchange } from './open-exchange.ts';
import type { Recorder } from './recorder.ts';
import { mergeScopes } from './scope.ts';
import type { Fetch, FetchArguments } from './sent-request.ts';
import { isTracingSuppressed } from './suppression.ts';

interface Layer {
  readonly inner: Fetch;
  readonly scope: Scope;
}

/**
 * Keyed on the function, not the client: the `withOptions()` copies of an observed client share it. Shared by all copies
 * of this module in a process, as the build may put one into each entry point.
 */
const LAYERS_KEY = Symbol.for('prefixtrace.recording-fetch.layers');
const shared = globalThis as { [LAYERS_KEY]?: WeakMap<Fetch, Layer> };
shared[LAYERS_KEY] ??= new WeakMap();
const layers = shared[LAYERS_KEY];

/** The body that is being sent through a recording transport whose own `fetch` may be recording as well. */
const sending = new AsyncLocalStorage<unknown>();

export function isRecording(fetch: Fetch): boolean {
  return layers.has(fetch);
}

/** Records on top of `fetch`; where it records already, its scope is completed and nothing is recorded twice. */
export function recordingFetch(fetch: Fetch, scope: Scope, currentRecorder: () => Recorder): Fetch {
  const below = layers.get(fetch);
  const inner = below?.inner ?? fetch;
  const layer: Layer = { inner, scope: mergeScopes(below?.scope ?? {}, scope) };

  const recording: Fetch = (...fetchArguments) => {
    const pending = dispatch(inner, recording, fetchArguments);
    const exchange = guard('a request could not be recorded', () => {
      if (isTracingSuppressed() || isSentAlready(fetchArguments)) return undefined;
      const recorder = currentRecorder();
      return recorder.isClosed ? undefined : openExchange(fetchArguments, layer.scope, recorder);
    });
    return exchange === undefined ? pending : followed(pending, exchange);
  };
  layers.set(recording, layer);
  return recording;
}

/** A user's transport may end in the global `fetch`; where that one is recording, it must know that we are already. */
function dispatch(inner: Fetch, self: Fetch, fetchArguments: FetchArguments): Promise<Response> {
  const { fetch: globalFetch } = globalThis;
  const mayNest = globalFetch !== self && layers.has(globalFetch);
  if (!mayNest) return inner(...fetchArguments);
  return sending.run(fetchArguments[1]?.body, () => inner(...fetchArguments));
}

function isSentAlready(fetchArguments: FetchArguments): boolean {
  const body = sending.getStore();
  return body !== undefined && body === fetchArguments[1]?.body;
}

/** One promise in, one promise out: nobody else subscribes, so no rejection is ever without an owner. */
function followed(pending: Promise<Response>, exchange: OpenExchange): Promise<Response> {
  return Promise.resolve(pending).then(
    (response) => guard('a response could not be recorded', () => exchange.respond(response)) ?? response,
    (error: unknown) => {
      guard('a rejected request could not be recorded', () => exchange.reject(error));
      throw error;
    },
  );
}
