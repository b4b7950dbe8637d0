/**
 * The headers that go on, in their order and spelling. Left out are those that are about one connection (RFC 9110 §7.6.1)
 * and, of requests, those that are for the proxy.
 */
import type { IncomingMessage } from 'node:http';
import { isScopeHeader } from './scope-headers.ts';

/** Names and values by turns, as `rawHeaders` has them. */
export type FlatHeaders = string[];

/** Not `transfer-encoding` and `trailer`: bodies go on in the framing in which they came. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'upgrade',
]);

/** Methods whose requests have no body unless their headers say so. */
const METHODS_WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

export function passedRequestHeaders(request: IncomingMessage, host: string): FlatHeaders {
  const headers: FlatHeaders = ['Host', host];
  for (const [name, value] of passedHeaders(request)) {
    if (name.toLowerCase() !== 'host' && !isScopeHeader(name)) headers.push(name, value);
  }
  const { method = '', headers: given } = request;
  const hasBody = given['content-length'] !== undefined || given['transfer-encoding'] !== undefined;
  // Node would announce a chunked body where none is announced.
  if (!hasBody && !METHODS_WITHOUT_BODY.has(method)) headers.push('Content-Length', '0');
  return headers;
}

/** `mayBeChunked`: the client speaks HTTP/1.1. */
export function passedResponseHeaders(response: IncomingMessage, mayBeChunked: boolean): FlatHeaders {
  const headers: FlatHeaders = [];
  for (const [name, value] of passedHeaders(response)) {
    if (mayBeChunked || name.toLowerCase() !== 'transfer-encoding') headers.push(name, value);
  }
  return headers;
}

export function* pairsOf(flat: readonly string[]): Generator<readonly [string, string]> {
  for (let at = 0; at + 1 < flat.length; at += 2) yield [flat[at] as string, flat[at + 1] as string]; // within bounds
}

function* passedHeaders({ rawHeaders, headers }: IncomingMessage): Generator<readonly [string, string]> {
  const named = new Set((headers.connection ?? '').split(',').map((option) => option.trim().toLowerCase()));
  for (const pair of pairsOf(rawHeaders)) {
    const name = pair[0].toLowerCase();
    if (!CONNECTION_HEADERS.has(name) && !named.has(name)) yield pair;
  }
}
