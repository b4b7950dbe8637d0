/**
 * Cassettes: HTTP recordings of test suites. vcrpy names the address `uri` and wraps the response body; go-vcr and
 * opencode's recorder name it `url` and do not. pydantic-ai's cassettes hold parsed bodies in place of texts.
 */
import type { JsonObject } from '../../exchange.ts';
import { isJsonObject, numberIn, objectIn, stringIn } from '../../json-value.ts';
import type { LogFormat, LogRecord } from './format.ts';
import { dateOf, httpExchange } from './http-exchange.ts';
import { httpLog } from './http-log.ts';

export const vcrpy: LogFormat = cassette('vcrpy cassette', 'uri');
export const goVcr: LogFormat = cassette('go-vcr cassette', 'url');

function cassette(name: string, addressField: 'uri' | 'url'): LogFormat {
  return httpLog({
    name,
    fits: ({ interactions }) =>
      Array.isArray(interactions) &&
      interactions.some((one) => addressField in (objectIn(objectIn(one)?.request) ?? {})),
    exchangesOf: (record) => exchangesOf(record, addressField),
  });
}

function* exchangesOf({ value, source, sourcesAt }: LogRecord, addressField: 'uri' | 'url') {
  const interactions = Array.isArray(value.interactions) ? value.interactions : [];
  const sources = sourcesAt('interactions');
  for (const [index, interaction] of interactions.entries()) {
    const request = objectIn(objectIn(interaction)?.request);
    const response = objectIn(objectIn(interaction)?.response);
    if (request === undefined) continue;
    const exchange = httpExchange({
      method: stringIn(request.method) ?? '',
      url: stringIn(request[addressField]) ?? '',
      headers: request.headers,
      body: bodyOf(request),
      atMs: dateOf(response?.headers),
      response: response && { status: statusOf(response), headers: response.headers, body: bodyOf(response) },
    });
    yield { exchange, source: sources[index] ?? source };
  }
}

function bodyOf(message: JsonObject): string | Uint8Array | JsonObject | undefined {
  if (isJsonObject(message.parsed_body)) return message.parsed_body;
  const { body } = message;
  const content: unknown = isJsonObject(body) && 'string' in body ? body.string : body;
  if (content instanceof Uint8Array) return content;
  if (typeof content !== 'string') return undefined;
  return message.bodyEncoding === 'base64' ? Buffer.from(content, 'base64') : content;
}

function statusOf({ status, code }: JsonObject): number | undefined {
  return numberIn(code) ?? numberIn(objectIn(status)?.code) ?? numberIn(status);
}
