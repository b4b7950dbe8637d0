/** HAR 1.2, as browsers, mitmproxy, Charles, Proxyman and Polly.JS write it. */
import type { JsonObject } from '../../exchange.ts';
import { isJsonObject, numberIn, objectIn, stringIn, timeIn } from '../../json-value.ts';
import type { LogFormat, LogRecord } from './format.ts';
import { httpExchange } from './http-exchange.ts';
import { httpLog } from './http-log.ts';

export const har: LogFormat = httpLog({
  name: 'HAR 1.2',
  fits: ({ log }) => isJsonObject(log) && Array.isArray(log.entries),
  exchangesOf,
});

interface Entry {
  readonly value: JsonObject;
  readonly source: string;
  readonly atMs: number | undefined;
}

function exchangesOf(record: LogRecord) {
  const list = objectIn(record.value.log)?.entries;
  const sources = record.sourcesAt('log', 'entries');
  const entries = (Array.isArray(list) ? list : []).map((entry, index): Entry => {
    const value = objectIn(entry) ?? {};
    return { value, source: sources[index] ?? record.source, atMs: timeIn(value.startedDateTime) };
  });
  return entries
    .sort(byStart)
    .map(({ value, source, atMs }) => ({ exchange: exchangeOf(value, atMs), source }));
}

/** Browsers write entries as they end, Polly numbers them. */
function byStart(a: Entry, b: Entry): number {
  return (a.atMs ?? 0) - (b.atMs ?? 0) || (numberIn(a.value._order) ?? 0) - (numberIn(b.value._order) ?? 0);
}

function exchangeOf(entry: JsonObject, atMs: number | undefined) {
  const request = objectIn(entry.request);
  const response = objectIn(entry.response);
  const postData = objectIn(request?.postData);
  const status = numberIn(response?.status);
  return httpExchange({
    method: stringIn(request?.method) ?? '',
    url: stringIn(request?.url) ?? '',
    headers: request?.headers,
    body: contentOf(postData),
    atMs,
    // Status 0: the browser never got a response.
    response:
      response && status !== 0
        ? {
            status,
            headers: response.headers,
            body: contentOf(objectIn(response.content)),
            firstByteAtMs: later(atMs, waitMs(entry)),
            completedAtMs: later(atMs, numberIn(entry.time)),
          }
        : undefined,
  });
}

function contentOf(content: JsonObject | undefined): string | Uint8Array | undefined {
  const text = stringIn(content?.text);
  if (text === undefined || content?.encoding !== 'base64') return text;
  return Buffer.from(text, 'base64');
}

/** -1 stands for a phase that there was not. */
function waitMs(entry: JsonObject): number | undefined {
  const timings = objectIn(entry.timings);
  if (numberIn(timings?.wait) === undefined) return undefined;
  const phases = ['blocked', 'dns', 'connect', 'send', 'wait'] as const;
  return phases.reduce((sum, phase) => sum + Math.max(0, numberIn(timings?.[phase]) ?? 0), 0);
}

function later(atMs: number | undefined, durationMs: number | undefined): number | undefined {
  return atMs === undefined || durationMs === undefined ? undefined : atMs + durationMs;
}
