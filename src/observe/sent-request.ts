/**
 * Reads what `fetch` was called with. Never consumes: a body that can be read only once belongs to the host's call.
 */

export type Fetch = typeof globalThis.fetch;
export type FetchArguments = Parameters<Fetch>;

export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Iterable<readonly [string, string]>;
  readonly signal: AbortSignal | undefined;
  /** The body as text; `undefined` where it is no text at hand: a stream, a form, the body of a `Request` object. */
  readBody(): string | undefined;
}

/** `undefined` where the URL is relative. */
export function sentRequest([input, init]: FetchArguments): SentRequest | undefined {
  const request = typeof input === 'object' && 'url' in input ? input : undefined;
  const address = request?.url ?? String(input);
  if (!URL.canParse(address)) return undefined;
  let bodyText: string | undefined;
  return {
    method: init?.method ?? request?.method ?? 'GET',
    url: new URL(address),
    headers: entriesOf(init?.headers ?? request?.headers),
    signal: init?.signal ?? request?.signal,
    readBody() {
      bodyText ??= textOf(init?.body);
      return bodyText;
    },
  };
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
