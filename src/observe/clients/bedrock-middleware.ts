/**
 * The middleware that records the calls of an AWS client. As `recording-fetch.ts`: dispatches first, then reads what was
 * sent, then follows the response; what it hands on is what it was given.
 */
import type { Scope } from '../../exchange.ts';
import { guard, report } from '../../guard.ts';
import { INVOCATION_HEADER } from '../../headers.ts';
import { isSuppressed } from '../../opentelemetry.ts';
import { sendMarked } from '../nesting.ts';
import { isNodeStream, passThroughNode } from '../node-pass-through.ts';
import { type OpenExchange, openExchange } from '../open-exchange.ts';
import { passThrough } from '../pass-through.ts';
import type { Recorder } from '../recorder.ts';
import { noteRecording } from '../recording-note.ts';
import type { ResponseObserver } from '../response-observer.ts';
import { retryAfterMs } from '../retry-after.ts';
import type { SentRequest } from '../sent-request.ts';

interface AwsRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface AwsResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  body?: unknown;
}

interface Arguments {
  readonly request: AwsRequest;
}

interface Result {
  readonly response: AwsResponse;
}

type Handler = (argument: Arguments) => Promise<Result>;

/** The SDK's own, as far as it is used here. */
export type AwsMiddleware = (next: Handler, context: object) => Handler;

export function recordingMiddleware(scope: Scope, currentRecorder: () => Recorder): AwsMiddleware {
  return (next, context) => (argument) => {
    const pending = dispatch(next, argument);
    const exchange = guard('a request could not be recorded', () => {
      if (isSuppressed()) return undefined;
      const recorder = currentRecorder();
      return recorder.isClosed
        ? undefined
        : openExchange(sentRequest(argument.request, context), scope, recorder);
    });
    if (exchange === undefined) return pending;
    noteRecording();
    return Promise.resolve(pending).then(
      (result) => {
        guard('a response could not be recorded', () => observe(result.response, exchange));
        return result;
      },
      (error: unknown) => {
        guard('a rejected request could not be recorded', () => exchange.reject(error));
        throw error;
      },
    );
  };
}

/** A request handler may send by `fetch`; where that one is recording, it must know that we are already. */
function dispatch(next: Handler, argument: Arguments): Promise<Result> {
  const invocation = argument.request.headers?.[INVOCATION_HEADER];
  return invocation === undefined ? next(argument) : sendMarked(invocation, () => next(argument));
}

function sentRequest(request: AwsRequest, context: object): SentRequest {
  const { method, protocol, hostname, port, path, headers, body } = request;
  const authority = port === undefined ? hostname : `${hostname}:${port}`;
  return {
    method,
    url: new URL(`${protocol}//${authority}${path}`),
    headers: Object.entries(headers),
    signal: abortSignalOf(context),
    readBody() {
      if (typeof body === 'string') return body;
      return body instanceof Uint8Array ? new TextDecoder().decode(body) : undefined;
    },
  };
}

/** Where newer versions of the SDK keep it: middleware is not shown the options of `send`. */
function abortSignalOf(context: object): AbortSignal | undefined {
  const { __smithy_context: inner } = context as {
    readonly __smithy_context?: { readonly abortSignal?: AbortSignal };
  };
  return inner?.abortSignal;
}

/** The response stays the same object, its body is observed. */
function observe(response: AwsResponse, exchange: OpenExchange): void {
  const { statusCode, headers } = response;
  const observer = exchange.respond({
    status: statusCode,
    contentType: headers['content-type'],
    retryAfterMs: statusCode < 300 ? undefined : retryAfterMs((name) => headers[name]),
  });
  const isFollowed = guard('a response could not be observed', () => follow(response, observer));
  if (isFollowed === true) return;
  if (response.body) report('a response of an unusual kind passes unread, its usage is unknown', undefined);
  observer.onEnd({ reason: 'eof' });
}

/** The bodies of the request handlers of AWS: over HTTP/1 and HTTP/2 a Node stream, by `fetch` a web stream. */
function follow(response: AwsResponse, observer: ResponseObserver): boolean {
  const { body } = response;
  if (isNodeStream(body)) {
    observer.watch(passThroughNode(body, observer));
    return true;
  }
  if (body instanceof ReadableStream && !body.locked) {
    const observed = passThrough(body, response, observer);
    response.body = observed;
    observer.watch(observed);
    return true;
  }
  return false;
}
