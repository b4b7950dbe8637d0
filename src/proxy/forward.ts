/**
 * One request on its way to the target, and its response on the way back.
 *
 * Invariant: but for the address, the headers of a connection and our own, both go through unchanged, and each side sees
 * of the other what it would see without us: pieces as they come, a refusal, a break, a leave.
 */
import {
  type Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { guard } from '../guard.ts';
import { type Observation, observeRequest } from './observed-request.ts';
import { passedRequestHeaders, passedResponseHeaders } from './passed-headers.ts';
import { relay } from './relay.ts';
import type { Upstream } from './target.ts';

/** Far above what servers accept (Node's own limit is 16 KiB): to refuse a request is the target's business. */
export const MAX_HEADER_BYTES = 256 * 1024;

/** The connection was there and broke, as opposed to one that never came about. */
const BROKEN_CONNECTION: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

/** Resolves when the exchange is over on both sides and has been read. */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: Upstream,
  agent: Agent,
  observation: Observation,
): Promise<void> {
  const clientLeft = new AbortController();
  const closed = new Promise<void>((resolve) => {
    response.on('close', () => {
      if (!response.writableFinished) clientLeft.abort();
      resolve();
    });
  });
  // A write to a client that has left; `close` follows and is what counts.
  response.on('error', () => undefined);

  const onward = send(request, upstream, agent, clientLeft.signal);
  const observer = observeRequest(request, upstream, clientLeft.signal, observation);
  relay(request, onward, observer.body);
  onward.on('continue', () => response.writeContinue());
  onward.on('information', (information) => passInformation(information, response));
  let isAnswered = false;
  onward.on('response', (answer) => {
    isAnswered = true;
    answerClient(request, response, answer);
    relay(answer, response, observer.respond(answer));
  });
  onward.on('error', (error: NodeJS.ErrnoException) => {
    // The target may answer before it has read all, and then close: what counts is the answer.
    if (isAnswered) return;
    observer.reject(error);
    if (response.headersSent || response.destroyed) return;
    if (BROKEN_CONNECTION.has(error.code)) response.destroy();
    else refuse(response, 502, `cannot reach ${upstream.url.origin}: ${error.code ?? error.message}`);
  });
  await closed;
  await observer.settled;
}

export function send(
  request: IncomingMessage,
  { url, path }: Upstream,
  agent: Agent,
  signal?: AbortSignal,
  headers = passedRequestHeaders(request, url.host),
): ClientRequest {
  const { hostname, port, protocol } = urlToHttpOptions(url);
  const requestTo = protocol === 'https:' ? httpsRequest : httpRequest;
  const onward = requestTo({
    ...{ hostname, port, path, agent, signal, headers },
    method: request.method,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  // A client that asks first sends nothing before it has the answer.
  if (request.headers.expect !== undefined) onward.flushHeaders();
  return onward;
}

/** In one line of text, which an SDK shows as the message of its error. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`prefixtrace: ${message}\n`);
}

function answerClient(request: IncomingMessage, response: ServerResponse, answer: IncomingMessage): void {
  const { statusCode = 502, statusMessage } = answer;
  response.sendDate = false;
  response.writeHead(statusCode, statusMessage, passedResponseHeaders(answer, request.httpVersion !== '1.0'));
  // A stream may be silent for long after its head, and the client is waiting for just that.
  response.flushHeaders();
}

/** The two that Node can write: 102 Processing, 103 Early Hints. */
function passInformation(
  { statusCode, headers }: { readonly statusCode: number; readonly headers: IncomingMessage['headers'] },
  response: ServerResponse,
): void {
  if (response.headersSent) return;
  if (statusCode === 102) response.writeProcessing();
  const { link } = headers;
  if (statusCode === 103 && link !== undefined)
    guard('early hints', () => response.writeEarlyHints({ link }));
}
