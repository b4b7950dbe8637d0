/**
 * A recorded HTTP exchange → an exchange, for every format that records HTTP. Which requests are model calls is told by
 * the same table of paths as in live traffic, so that token counting, files and telemetry in a recording are left out.
 */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Exchange, JsonObject } from '../../exchange.ts';
import { isJsonObject } from '../../json-value.ts';
import { routeOf } from '../../route.ts';
import { readHeaders } from '../log-headers.ts';
import { readResponse } from '../response-reading.ts';

type RecordedContent = string | Uint8Array | JsonObject | undefined;

export interface HttpRecord {
  readonly method: string;
  readonly url: string;
  /** An object, or a list of pairs. */
  readonly headers?: unknown;
  readonly body: RecordedContent;
  readonly atMs?: number | undefined;
  /** `undefined`: no response was recorded. */
  readonly response?: HttpResponseRecord | undefined;
}

interface HttpResponseRecord {
  readonly status?: number | undefined;
  readonly headers?: unknown;
  readonly body: RecordedContent;
  readonly firstByteAtMs?: number | undefined;
  readonly completedAtMs?: number | undefined;
}

/** A decompressed body beyond this is not one of a model call. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** `undefined`: no call to a model. A text: what is wrong with one. */
export function httpExchange(record: HttpRecord): Exchange | string | undefined {
  const url = parseUrl(record.url);
  if (url === undefined) return undefined;
  const body = decompressed(record.body, headerOf(record.headers, 'content-encoding'));
  const text = textOf(body);
  const route = routeOf(record.method, url, () => text());
  if (route === undefined) return undefined;
  const parsed = isParsed(body) ? body : parseObject(text() ?? '');
  if (parsed === undefined) return 'the request body is cut short or is not JSON';
  const { headers, account } = readHeaders(pairsOf(record.headers));
  const exchange: Exchange = {
    ...route,
    // The text keeps what parsing loses: the order of number-like keys, the spelling of numbers.
    body: isParsed(body) ? body : (text() ?? parsed),
    atMs: record.atMs,
    endpoint: url.host,
    headers,
    account,
    scope: {},
  };
  return record.response === undefined
    ? exchange
    : { ...exchange, response: responseOf(exchange, record.response) };
}

function isParsed(body: RecordedContent): body is JsonObject {
  return isJsonObject(body) && !(body instanceof Uint8Array);
}

function responseOf({ api }: Exchange, response: HttpResponseRecord): NonNullable<Exchange['response']> {
  const { status, firstByteAtMs, completedAtMs } = response;
  const contentType = headerOf(response.headers, 'content-type')?.toLowerCase();
  const body = decompressed(response.body, headerOf(response.headers, 'content-encoding'));
  return { ...readResponse(api, { status, contentType, body }), firstByteAtMs, completedAtMs };
}

/**
 * The `date` of a response: to the second, and when the response began. The nearest to the start of a request that a
 * cassette comes, and near enough to tell a lapsed lifetime.
 */
export function dateOf(headers: unknown): number | undefined {
  const atMs = Date.parse(headerOf(headers, 'date') ?? '');
  return Number.isNaN(atMs) ? undefined : atMs;
}

function headerOf(headers: unknown, wanted: string): string | undefined {
  for (const [name, value] of pairsOf(headers)) {
    if (name.toLowerCase() !== wanted) continue;
    const first: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof first === 'string') return first;
  }
  return undefined;
}

/** `{name: value}`, `[[name, value]]`, and HAR's `[{name, value}]`. */
function pairsOf(headers: unknown): [string, unknown][] {
  if (Array.isArray(headers)) {
    return headers.flatMap((header): [string, unknown][] => {
      if (Array.isArray(header) && header.length === 2) return [[String(header[0]), header[1]]];
      return isJsonObject(header) && typeof header.name === 'string' ? [[header.name, header.value]] : [];
    });
  }
  return isJsonObject(headers) ? Object.entries(headers) : [];
}

/** Recorders keep compressed bytes under a text's header and text under a compressed body's: the bytes decide. */
function decompressed(body: RecordedContent, encoding: string | undefined): RecordedContent {
  if (!(body instanceof Uint8Array)) return body;
  try {
    if (body[0] === 0x1f && body[1] === 0x8b) return gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES });
    if (encoding === 'br') return brotliDecompressSync(body, { maxOutputLength: MAX_BODY_BYTES });
    if (encoding === 'deflate') return inflateSync(body, { maxOutputLength: MAX_BODY_BYTES });
  } catch {
    // Not compressed after all, or cut short: what it is will show when it is read.
  }
  return body;
}

/** Made once, and only where the path fits. */
function textOf(body: RecordedContent): () => string | undefined {
  let text: string | undefined;
  return () => {
    if (text !== undefined || body === undefined) return text;
    if (typeof body === 'string') text = body;
    else text = body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : JSON.stringify(body);
    return text;
  };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function parseUrl(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}
