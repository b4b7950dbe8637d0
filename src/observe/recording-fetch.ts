/**
 * A `fetch` that records model calls: dispatches first, then reads what was sent, then follows the response.
 *
 * Invariant: the caller gets what the inner `fetch` gave. The arguments go on as they came; a throw, a rejection, and all
 * that is no model call are the very same objects; a response is the same in all that can be seen, its body observed.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scope } from '../exchange.ts';
import { guard, report } from '../guard.ts';
import { copyToRead, type Fetch, type FetchArguments, sentRequest } from './fetch-request.ts';
import { observedResponse } from './observed-response.ts';
import { type OpenExchange, openExchange } from './open-exchange.ts';
import type { Recorder } from './recorder.ts';
import { mergeScopes } from './scope.ts';
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

/** The payload that is being sent through a recording transport whose own `fetch` may be recording as well. */
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
    const copy = copyToRead(fetchArguments);
    const pending = dispatch(inner, recording, fetchArguments);
    const exchange = guard('a request could not be recorded', () => {
      if (isTracingSuppressed() || isSentAlready(fetchArguments)) return undefined;
      const recorder = currentRecorder();
      const sent = recorder.isClosed ? undefined : sentRequest(fetchArguments, copy);
      return sent && openExchange(sent, layer.scope, recorder);
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
  return sending.run(payloadOf(fetchArguments), () => inner(...fetchArguments));
}

function isSentAlready(fetchArguments: FetchArguments): boolean {
  const payload = sending.getStore();
  return payload !== undefined && payload === payloadOf(fetchArguments);
}

/** What tells one request from another on its way down: the body, or the `Request` that holds it. */
function payloadOf([input, init]: FetchArguments): unknown {
  return init?.body ?? (typeof input === 'object' ? input : undefined);
}

/** One promise in, one promise out: nobody else subscribes, so no rejection is ever without an owner. */
function followed(pending: Promise<Response>, exchange: OpenExchange): Promise<Response> {
  return Promise.resolve(pending).then(
    (response) => guard('a response could not be recorded', () => observed(response, exchange)) ?? response,
    (error: unknown) => {
      guard('a rejected request could not be recorded', () => exchange.reject(error));
      throw error;
    },
  );
}

/** The response to hand to the caller: `source`, or its observed copy. */
function observed(source: Response, exchange: OpenExchange): Response {
  const observer = exchange.respond({
    status: source.status,
    contentType: source.headers.get('content-type'),
  });
  const copy = guard('a response could not be observed', () => observedResponse(source, observer));
  if (copy !== undefined) {
    observer.watch(copy.body);
    return copy.response;
  }
  if (source.body) report('a response of an unusual kind passes unread, its usage is unknown', undefined);
  observer.onEnd({ reason: 'eof' });
  return source;
}
