/** claude-trace (`.claude-trace/log-*.jsonl`): one HTTP exchange a line, body parsed, streamed responses as raw text. */
import { isJsonObject, numberIn, objectIn, stringIn } from '../../json-value.ts';
import type { LogFormat } from './format.ts';
import { httpExchange } from './http-exchange.ts';
import { httpLog } from './http-log.ts';

export const claudeTrace: LogFormat = httpLog({
  name: 'claude-trace',
  fits: ({ request, response }) =>
    isJsonObject(request) &&
    'timestamp' in request &&
    'url' in request &&
    (response === null || isJsonObject(response)),
  exchangesOf: ({ value, source }) => {
    const request = objectIn(value.request);
    const response = objectIn(value.response);
    const { body } = request ?? {};
    const exchange = httpExchange({
      method: stringIn(request?.method) ?? 'POST',
      url: stringIn(request?.url) ?? '',
      headers: request?.headers,
      body: typeof body === 'string' ? body : objectIn(body),
      atMs: secondsIn(request?.timestamp),
      response: response && {
        status: numberIn(response.status_code),
        headers: response.headers,
        body: stringIn(response.body_raw) ?? objectIn(response.body),
        completedAtMs: secondsIn(response.timestamp),
      },
    });
    return [{ exchange, source }];
  },
});

function secondsIn(value: unknown): number | undefined {
  const seconds = numberIn(value);
  return seconds === undefined ? undefined : seconds * 1_000;
}
