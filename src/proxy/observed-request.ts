/**
 * What the hooks see of a request that passes: the exchange is opened while the body is on its way, from the pieces that
 * have gone on already.
 */
import type { IncomingMessage } from 'node:http';
import type { Scope } from '../exchange.ts';
import { guard } from '../guard.ts';
import { type OpenExchange, openExchange } from '../observe/open-exchange.ts';
import type { BodyObserver } from '../observe/pass-through.ts';
import type { Recorder } from '../observe/recorder.ts';
import { retryAfterMs } from '../observe/retry-after.ts';
import { mergeScopes } from '../observe/scope.ts';
import { apiOfPath } from '../route.ts';
import { bodyCopy } from './body-copy.ts';
import { pairsOf } from './passed-headers.ts';
import { scopeOfHeaders } from './scope-headers.ts';
import type { Upstream } from './target.ts';
import { unpacked } from './unpacked.ts';

export interface RequestObserver {
  /** Shown the body of the request. */
  readonly body: BodyObserver;
  /** There is a response; the result is shown its body. */
  respond(response: IncomingMessage): BodyObserver;
  /** There will be none. */
  reject(error: unknown): void;
  /** Resolves when nothing more is to be read of this exchange. */
  readonly settled: Promise<void>;
}

export interface Observation {
  readonly recorder: Recorder;
  /** Of all requests; what a request says of itself wins. */
  readonly scope: Scope;
  /** A call to a model whose body could not be read. */
  onUnreadCall(): void;
}

const NOTHING: BodyObserver = { onChunk() {}, onEnd() {} };

/** None of it throws. */
const UNOBSERVED: RequestObserver = {
  body: NOTHING,
  respond: () => NOTHING,
  reject() {},
  settled: Promise.resolve(),
};

/** `signal` aborts when the client leaves. */
export function observeRequest(
  request: IncomingMessage,
  upstream: Upstream,
  signal: AbortSignal,
  observation: Observation,
): RequestObserver {
  return (
    guard('a request could not be recorded', () => opened(request, upstream, signal, observation)) ??
    UNOBSERVED
  );
}

function opened(
  request: IncomingMessage,
  upstream: Upstream,
  signal: AbortSignal,
  { recorder, scope, onUnreadCall }: Observation,
): RequestObserver | undefined {
  const { method = '', headers, rawHeaders } = request;
  const url = new URL(upstream.path, upstream.url);
  // Nothing else is held, however large it is.
  if (recorder.isClosed || apiOfPath(method, url) === undefined) return undefined;
  const copy = bodyCopy(headers['content-encoding']);
  let isWhole = false;
  const sent = { method, url, headers: [...pairsOf(rawHeaders)], signal, readBody: () => undefined };
  const exchange = openExchange(
    { ...sent, bodyLater: copy.text },
    mergeScopes(scope, scopeOfHeaders(headers)),
    recorder,
  );
  if (exchange === undefined) return undefined;
  void copy.text.then((text) => {
    if (isWhole && text === undefined) onUnreadCall();
  });
  return {
    body: {
      onChunk: copy.push,
      onEnd({ reason }) {
        isWhole = reason === 'eof';
        copy.end(isWhole);
      },
    },
    ...responding(exchange, copy.text),
  };
}

function responding(
  exchange: OpenExchange,
  requestRead: Promise<unknown>,
): Pick<RequestObserver, 'respond' | 'reject' | 'settled'> {
  let settle: () => void;
  const responseRead = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return {
    respond: (response) =>
      guard('a response could not be recorded', () => responseObserver(response, exchange, settle)) ??
      NOTHING,
    reject(error) {
      guard('a failed request could not be recorded', () => exchange.reject(error));
      settle();
    },
    settled: Promise.all([requestRead, responseRead]).then(() => undefined),
  };
}

function responseObserver(
  { statusCode = 0, headers }: IncomingMessage,
  exchange: OpenExchange,
  onSettled: () => void,
): BodyObserver {
  const observer = exchange.respond({
    status: statusCode,
    contentType: headers['content-type'],
    retryAfterMs: statusCode < 400 ? undefined : retryAfterMs((name) => headers[name]?.toString()),
  });
  return unpacked(headers['content-encoding'], {
    onChunk: (chunk) => observer.onChunk(chunk),
    onEnd(end) {
      observer.onEnd(end);
      onSettled();
    },
  });
}
