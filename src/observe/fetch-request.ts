/**
 * Reads what `fetch` was called with. Never consumes: a body that can be read only once belongs to the host's call.
 */
import { guard, guardAsync } from '../guard.ts';
import { apiOfPath } from '../route.ts';
import type { SentRequest } from './sent-request.ts';

export type Fetch = typeof globalThis.fetch;
export type FetchArguments = Parameters<Fetch>;

/** `undefined` where the URL is relative. */
export function sentRequest(
  [input, init]: FetchArguments,
  copy: Request | undefined,
): SentRequest | undefined {
  const request = requestOf(input);
  const url = urlOf(request?.url ?? String(input));
  if (url === undefined) return undefined;
  let bodyText: string | undefined;
  return {
    method: init?.method ?? request?.method ?? 'GET',
    url,
    headers: entriesOf(init?.headers ?? request?.headers),
    signal: init?.signal ?? request?.signal,
    readBody() {
      bodyText ??= textOf(init?.body);
      return bodyText;
    },
    bodyLater: copy && guardAsync('the body of a Request could not be read', () => copy.text()),
  };
}

/**
 * A copy of a `Request` whose body is to be read (Mistral's SDK and generated clients send such), made before `fetch` takes
 * the original. `undefined` for all that is no model call, so that no upload is ever held twice.
 */
export function copyToRead([input, init]: FetchArguments): Request | undefined {
  const request = requestOf(input);
  if (request === undefined || init?.body || !request.body || request.bodyUsed) return undefined;
  const url = urlOf(request.url);
  if (url === undefined || apiOfPath(request.method, url) === undefined) return undefined;
  return guard('a Request could not be copied', () => request.clone());
}

/** Parsed once: to ask first whether it can be parsed takes as long again. */
function urlOf(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

function requestOf(input: FetchArguments[0]): Request | undefined {
  return typeof input === 'object' && 'url' in input ? input : undefined;
}

function textOf(body: unknown): string | undefined {
  if (typeof body === 'string') return body;
  // Decoded before the call returns, as the owner of the bytes may reuse them afterwards.
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  return undefined;
}

function entriesOf(headers: RequestInit['headers']): Iterable<readonly [string, string]> {
  if (headers === undefined || headers === null) return [];
  if (Symbol.iterator in headers) return headers as Iterable<[string, string]>;
  return Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
}
