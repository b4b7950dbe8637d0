/**
 * A `fetch` that records model calls: dispatches first, then reads what was sent, then follows the response.
 *
 * Invariant: the caller gets what the inner `fetch` gave. The arguments go on as they came; a throw, a rejection, and all
 * that is no model call are the very same objects; a response is the same in all that can be seen, its body observed.
 */
import type { Scope } from '../exchange.ts';
import { guard, report } from '../guard.ts';
import { INVOCATION_HEADER } from '../headers.ts';
import { isSuppressed } from '../opentelemetry.ts';
import { copyToRead, type Fetch, type FetchArguments, sentRequest } from './fetch-request.ts';
import { isSentAlready, sendMarked } from './nesting.ts';
import { observedResponse } from './observed-response.ts';
import { type OpenExchange, openExchange } from './open-exchange.ts';
import { withQuestion } from './provider-question.ts';
import type { Recorder } from './recorder.ts';
import { noteRecording } from './recording-note.ts';
import { retryAfterMs } from './retry-after.ts';
import { mergeScopes } from './scope.ts';

interface Layer {
  readonly inner: Fetch;
  readonly scope: Scope;
  readonly asksProvider: boolean;
}

/**
 * Keyed on the function, not the client: the `withOptions()` copies of an observed client share it. Shared by all copies
 * of this module in a process, as the build may put one into each entry point.
 */
const LAYERS_KEY = Symbol.for('prefixtrace.recording-fetch.layers');
const shared = globalThis as { [LAYERS_KEY]?: WeakMap<Fetch, Layer> };
shared[LAYERS_KEY] ??= new WeakMap();
const layers = shared[LAYERS_KEY];

/** Records already, and asks the provider where that is wanted. */
export function isRecording(fetch: Fetch, asksProvider = false): boolean {
  const layer = layers.get(fetch);
  return layer !== undefined && (layer.asksProvider || !asksProvider);
}

export interface RecordingOptions {
  readonly scope: Scope;
  /** Ask for the provider's own cache diagnosis, which changes the request. */
  readonly asksProvider?: boolean | undefined;
}

/** Records on top of `fetch`; where it records already, its scope is completed and nothing is recorded twice. */
export function recordingFetch(
  fetch: Fetch,
  { scope, asksProvider }: RecordingOptions,
  currentRecorder: () => Recorder,
): Fetch {
  const below = layers.get(fetch);
  const layer: Layer = {
    inner: below?.inner ?? fetch,
    scope: mergeScopes(below?.scope ?? {}, scope),
    asksProvider: asksProvider ?? below?.asksProvider ?? false,
  };

  const open = (fetchArguments: FetchArguments, copy?: Request): OpenExchange | undefined =>
    guard('a request could not be recorded', () => {
      if (isSuppressed() || isNested(fetchArguments)) return undefined;
      const recorder = currentRecorder();
      const sent = recorder.isClosed ? undefined : sentRequest(fetchArguments, copy);
      return sent && openExchange(sent, layer.scope, recorder);
    });

  const recording: Fetch = (...fetchArguments) => {
    if (layer.asksProvider)
      return dispatchAsking(layer.inner, recording, fetchArguments, open(fetchArguments));
    const copy = copyToRead(fetchArguments);
    const pending = dispatch(layer.inner, recording, fetchArguments);
    return followed(pending, open(fetchArguments, copy));
  };
  layers.set(recording, layer);
  return recording;
}

/** The one way that thinks before it dispatches: what is asked depends on the call before. */
function dispatchAsking(
  inner: Fetch,
  self: Fetch,
  fetchArguments: FetchArguments,
  exchange: OpenExchange | undefined,
): Promise<Response> {
  const asking = exchange && guard('a provider could not be asked', () => asked(fetchArguments, exchange));
  let pending: Promise<Response>;
  try {
    pending = dispatch(inner, self, asking ?? fetchArguments);
  } catch (error) {
    exchange?.reject(error);
    throw error;
  }
  return followed(pending, exchange);
}

/** The arguments with the question in the body; `undefined` where there is nothing to ask. */
function asked([input, init]: FetchArguments, exchange: OpenExchange): FetchArguments | undefined {
  const { body } = init ?? {};
  // A length that somebody counted would no longer fit.
  if (typeof body !== 'string' || new Headers(init?.headers).has('content-length')) return undefined;
  const url = new URL(typeof input === 'object' && 'url' in input ? input.url : input);
  const previousId = exchange.previousResponseId();
  const askedBody = withQuestion(body, { api: exchange.api, url, previousId });
  return askedBody === undefined ? undefined : [input, { ...init, body: askedBody }];
}

/** A user's transport may end in the global `fetch`; where that one is recording, it must know that we are already. */
function dispatch(inner: Fetch, self: Fetch, fetchArguments: FetchArguments): Promise<Response> {
  const { fetch: globalFetch } = globalThis;
  const mayNest = globalFetch !== self && layers.has(globalFetch);
  if (!mayNest) return inner(...fetchArguments);
  return sendMarked(payloadOf(fetchArguments), () => inner(...fetchArguments));
}

function isNested(fetchArguments: FetchArguments): boolean {
  return isSentAlready(payloadOf(fetchArguments)) || isSentAlready(invocationOf(fetchArguments));
}

/** AWS clients that send by `fetch` make a new `Request`, and the name of the call is what stays. */
function invocationOf([input]: FetchArguments): string | undefined {
  if (typeof input !== 'object' || !('headers' in input)) return undefined;
  return input.headers.get(INVOCATION_HEADER) ?? undefined;
}

/** What tells one request from another on its way down: the body, or the `Request` that holds it. */
function payloadOf([input, init]: FetchArguments): unknown {
  return init?.body ?? (typeof input === 'object' ? input : undefined);
}

/** One promise in, one promise out: nobody else subscribes, so no rejection is ever without an owner. */
function followed(pending: Promise<Response>, exchange: OpenExchange | undefined): Promise<Response> {
  if (exchange === undefined) return pending;
  noteRecording();
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
    retryAfterMs: source.ok ? undefined : retryAfterMs((name) => source.headers.get(name)),
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
