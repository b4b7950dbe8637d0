/**
 * A copy of a response whose body reports itself, and which looks like the original in all else.
 *
 * Two things of a fetched `Response` cannot be given to the constructor: where it came from (`url`, `redirected`, `type`)
 * and its read-only headers. They are put on the copy, and on what `clone()` makes of it.
 */
import { isNodeStream, passThroughNode } from './node-pass-through.ts';
import { type BodyObserver, passThrough } from './pass-through.ts';

/** Own properties that some transports (msw, for one) define on a response and that a copy can carry. */
const PORTABLE_PROPERTIES: ReadonlySet<string> = new Set(['url', 'redirected', 'type', 'status']);

export interface ObservedResponse {
  readonly response: Response;
  /** What the caller reads: its life is that of the call. */
  readonly body: object;
}

/** `undefined` where the response has no body to observe, or is too special to be copied: hand out the original. */
export function observedResponse(source: Response, observer: BodyObserver): ObservedResponse | undefined {
  const { body: ownBody } = source as { readonly body: unknown };
  // node-fetch, which openai 4 uses by default. Such a body reports itself without a copy.
  if (isNodeStream(ownBody)) return { response: source, body: passThroughNode(ownBody, observer) };
  const ResponseClass = classOf(source);
  if (ResponseClass === undefined) return undefined;
  const { body: sourceBody } = source;
  if (!(sourceBody instanceof ReadableStream) || sourceBody.locked || source.bodyUsed) return undefined;
  const body = passThrough(sourceBody, source, observer);
  const { status, statusText, headers } = source;
  const response = new ResponseClass(body, { status, statusText, headers });
  carryOver(response, source);
  Object.defineProperty(response, 'headers', { value: headers, configurable: true });
  return { response, body };
}

function carryOver(copy: Response, source: Response): void {
  const { url, redirected, type } = source;
  Object.defineProperties(copy, {
    url: { value: url, configurable: true },
    redirected: { value: redirected, configurable: true },
    type: { value: type, configurable: true },
    clone: {
      value(): Response {
        const clone = (Object.getPrototypeOf(copy) as Response).clone.call(copy);
        carryOver(clone, copy);
        return clone;
      },
      configurable: true,
      writable: true,
    },
  });
}

/** The copy must have the class of the original: undici from npm brings its own `Response`. */
function classOf(source: Response): typeof Response | undefined {
  // Hand-made stand-ins and responses whose methods somebody replaced keep what they have.
  if (typeof source !== 'object' || source === null) return undefined;
  if (Object.getOwnPropertyNames(source).some((name) => !PORTABLE_PROPERTIES.has(name))) return undefined;
  const prototype: unknown = Object.getPrototypeOf(source);
  if (prototype === Response.prototype) return Response;
  const candidate = source.constructor as typeof Response | undefined;
  return candidate?.name === 'Response' && candidate.prototype === prototype ? candidate : undefined;
}
