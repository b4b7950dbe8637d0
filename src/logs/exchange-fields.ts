/**
 * One entry of an exchange log (design §6) → an exchange. Fields that we do not know are ignored.
 * Invariant: credentials in the log's headers leave here only as `account`.
 */
import {
  APIS,
  type Api,
  type Exchange,
  type ExchangeResponse,
  type JsonObject,
  type Scope,
} from '../exchange.ts';
import { isJsonObject, numberIn, objectIn, stringIn, timeIn } from '../json-value.ts';
import { guessApi } from '../prompt/guess-api.ts';
import { splitEntry } from './entry-text.ts';
import { readHeaders } from './log-headers.ts';

/** The exchange of a line, or what is wrong with it; `undefined` where it is no JSON. */
export function readEntryText(line: string): Exchange | string | undefined {
  const split = splitEntry(line);
  if (split !== undefined) return readEntry(split.entry, undefined, split.bodyText);
  const entry = parse(line);
  return entry === undefined ? undefined : readEntry(entry);
}

/** The exchange, or what is wrong with the entry. With `bodyText` an empty body stands in the entry. */
export function readEntry(entry: unknown, fallbackApi?: Api, bodyText?: string): Exchange | string {
  if (!isJsonObject(entry)) return 'is not a JSON object';
  const body = typeof entry.body === 'string' ? (parse(entry.body) ?? null) : entry.body;
  if (body === undefined) return 'has no "body"';
  if (!isJsonObject(body)) return '"body" is not the JSON body of a request';
  const facts = readHeaders(entry.headers);
  const api = readApi(entry.api, body, fallbackApi);
  if (!isApi(api)) return api;
  return {
    api,
    // The text keeps what parsing loses: the order of number-like keys, the spelling of numbers.
    body: bodyText ?? (typeof entry.body === 'string' ? entry.body : body),
    model: stringIn(entry.model),
    atMs: timeIn(entry.at),
    endpoint: stringIn(entry.endpoint),
    headers: facts.headers,
    account: facts.account,
    scope: readScope(entry.scope),
    response: readResponse(entry.response, entry.usage),
  };
}

function readApi(declared: unknown, body: JsonObject, fallback: Api | undefined): string {
  if (declared !== undefined && declared !== null) {
    return isApi(declared) ? declared : `"api" is ${JSON.stringify(declared)}, not one of ${APIS.join(', ')}`;
  }
  return fallback ?? guessApi(body) ?? 'has no "api", and "body" is of no API that we know';
}

export function isApi(value: unknown): value is Api {
  return APIS.some((api) => api === value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readScope(value: unknown): Scope {
  const scope = objectIn(value);
  return {
    thread: stringIn(scope?.thread),
    phase: stringIn(scope?.phase),
    delegation: stringIn(scope?.delegation),
  };
}

/** Neither response nor usage: nothing is known of how the call ended. */
function readResponse(value: unknown, usage: unknown): ExchangeResponse | undefined {
  const response = objectIn(value);
  if (response === undefined && (usage === undefined || usage === null)) return undefined;
  const status = numberIn(response?.status);
  const error = readError(response?.error);
  return {
    ending:
      readEnding(response?.ending) ??
      (error || (status !== undefined && status >= 400) ? 'failed' : 'completed'),
    status,
    id: stringIn(response?.id),
    model: stringIn(response?.model),
    provider: stringIn(response?.provider),
    serviceTier: stringIn(response?.service_tier),
    usage: usage ?? response?.usage ?? undefined,
    firstByteAtMs: timeIn(response?.first_byte_at),
    completedAtMs: timeIn(response?.completed_at),
    error,
    diagnostics: response?.diagnostics ?? response?.prompt_cache_diagnostics ?? undefined,
  };
}

function readEnding(value: unknown): ExchangeResponse['ending'] | undefined {
  return value === 'completed' || value === 'canceled' || value === 'failed' ? value : undefined;
}

/** `{type, message}`, the API's `{error: {…}}` around it, or a bare text. */
function readError(value: unknown): ExchangeResponse['error'] {
  if (typeof value === 'string' && value !== '') return { message: value };
  const outer = objectIn(value);
  if (outer === undefined) return undefined;
  const inner = objectIn(outer.error) ?? outer;
  return { type: stringIn(inner.type), message: stringIn(inner.message) };
}
