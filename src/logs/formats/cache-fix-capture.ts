/**
 * claude-code-cache-fix: request and outcome records of a proxy, a line each or in one document with a header; and its
 * excerpts that keep nothing of the requests but their messages.
 *
 * An outcome shares no id with its request. What it shares is the start: `outcome.ts - outcome.ms` is the request's `ts`
 * to within 10 ms, under the same model.
 */
import type { Exchange, ExchangeResponse, JsonObject } from '../../exchange.ts';
import { isJsonObject, numberIn, objectIn, stringIn, timeIn } from '../../json-value.ts';
import { suggestScope } from '../../suggested-scope.ts';
import type { LoggedExchange } from '../exchange-log.ts';
import { LogError } from '../log-error.ts';
import { readHeaders } from '../log-headers.ts';
import type { LogFormat, LogRecord, ReadContext } from './format.ts';

const NAME = 'claude-code-cache-fix capture';
const MAX_START_DRIFT_MS = 10;
/** A request without an outcome keeps those behind it waiting: for so many, and then it is given up on. */
const MAX_WAITING = 100;

export const cacheFixCapture: LogFormat = {
  name: NAME,
  fits: (record) =>
    isRequest(record) ||
    isOutcome(record) ||
    isBoot(record) ||
    isCapture(record) ||
    isExcerpt(record) ||
    isSizes(record),
  read,
};

async function* read(
  records: AsyncIterable<LogRecord>,
  context: ReadContext,
): AsyncGenerator<LoggedExchange> {
  const waiting = new WaitingRequests();
  let requests = 0;
  for await (const record of records) {
    for (const { value, source } of entriesOf(record, context)) {
      if (isOutcome(value)) waiting.join(value);
      else if (isTokenCount(value))
        context.onSkippedLine({ source, reason: 'counts tokens and calls no model' });
      else if (isRequest(value)) {
        requests += 1;
        waiting.add(requestOf(value), source);
      }
      yield* waiting.takeReady();
    }
  }
  yield* waiting.takeAll();
  if (requests === 0) throw new LogError(`${context.file} (${NAME}) holds no requests`);
}

/** The records inside a document, or the record itself. */
function entriesOf(record: LogRecord, { file }: ReadContext): { value: JsonObject; source: string }[] {
  const { value } = record;
  if (isSizes(value))
    throw new LogError(`${file} (${NAME}) holds sizes of tools and system alone, no requests to diagnose`);
  const list = isCapture(value) ? 'records' : isExcerpt(value) ? 'requests' : undefined;
  if (list === undefined) return [record];
  const sources = record.sourcesAt(list);
  return (value[list] as readonly unknown[]).map((entry, index) => {
    const inner = objectIn(entry) ?? {};
    // An excerpt keeps the messages where a record has its whole body.
    const whole = list === 'requests' ? { ...inner, key: '', body: { messages: inner.messages } } : inner;
    return { value: whole, source: sources[index] ?? record.source };
  });
}

function requestOf(record: JsonObject): Exchange {
  const body = record.body as JsonObject;
  const { headers } = readHeaders(record.headers);
  const suggested = suggestScope({ headers, body });
  const session = stringIn(record.sid);
  return {
    api: 'anthropic.messages',
    body,
    atMs: timeIn(record.ts),
    headers,
    scope: {},
    suggestedScope: suggested ?? (session === undefined ? undefined : { thread: session }),
  };
}

function responseOf(outcome: JsonObject): ExchangeResponse {
  const usage = objectIn(outcome.usage);
  return {
    ending: 'completed',
    id: stringIn(outcome.id),
    model: stringIn(outcome.model),
    completedAtMs: timeIn(outcome.ts),
    usage: usage && {
      input_tokens: usage.inputTokens,
      cache_read_input_tokens: usage.cacheRead,
      cache_creation_input_tokens: usage.cacheCreation,
      output_tokens: usage.outputTokens,
      cache_creation: {
        ephemeral_5m_input_tokens: usage.ephemeral5m,
        ephemeral_1h_input_tokens: usage.ephemeral1h,
      },
    },
  };
}

/** Requests in the order in which they were sent, held until their outcome is known. */
class WaitingRequests {
  #waiting: { exchange: Exchange; source: string }[] = [];

  add(exchange: Exchange, source: string): void {
    this.#waiting.push({ exchange, source });
  }

  join(outcome: JsonObject): void {
    const startMs = (timeIn(outcome.ts) ?? Number.NaN) - (numberIn(outcome.ms) ?? Number.NaN);
    let best: { exchange: Exchange; source: string } | undefined;
    let bestDrift = MAX_START_DRIFT_MS;
    for (const waiting of this.#waiting) {
      const { atMs, body, response } = waiting.exchange;
      const drift = Math.abs((atMs ?? Number.NaN) - startMs);
      if (response !== undefined || (body as JsonObject).model !== outcome.model) continue;
      if (drift < bestDrift || (drift === bestDrift && best === undefined))
        [best, bestDrift] = [waiting, drift];
    }
    if (best) best.exchange = { ...best.exchange, response: responseOf(outcome) };
  }

  *takeReady(): Generator<LoggedExchange> {
    while (this.#waiting[0]?.exchange.response !== undefined || this.#waiting.length > MAX_WAITING) {
      yield this.#waiting.shift() as LoggedExchange;
    }
  }

  *takeAll(): Generator<LoggedExchange> {
    yield* this.#waiting;
    this.#waiting = [];
  }
}

function isRequest({ ts, key, body, type }: JsonObject): boolean {
  return (
    ts !== undefined &&
    key !== undefined &&
    type === undefined &&
    isJsonObject(body) &&
    Array.isArray(body.messages)
  );
}

function isOutcome({ type, outSha, ms }: JsonObject): boolean {
  return type === 'outcome' && (outSha !== undefined || ms !== undefined);
}

function isBoot({ type, proxyTree }: JsonObject): boolean {
  return type === 'boot' && proxyTree !== undefined;
}

function isCapture({ header, records }: JsonObject): boolean {
  return isJsonObject(header) && Array.isArray(records);
}

function isExcerpt({ requests }: JsonObject): boolean {
  const first = Array.isArray(requests) ? objectIn(requests[0]) : undefined;
  return first !== undefined && Array.isArray(first.messages) && 'msgCount' in first;
}

function isSizes({ field, oldBytes, newBytes }: JsonObject): boolean {
  return typeof field === 'string' && oldBytes !== undefined && newBytes !== undefined;
}

function isTokenCount({ headers }: JsonObject): boolean {
  return /\btoken-counting-/.test(String(objectIn(headers)?.['anthropic-beta'] ?? ''));
}
