/**
 * What a result, or an error, of an AI SDK model says of the request that was sent.
 *
 * Not the address, although some versions name it in some places: the attempts of one call must agree in what they say.
 */
import type { Api, JsonObject } from '../../exchange.ts';
import { guessApi } from '../../prompt/guess-api.ts';
import { isRecord } from '../../response/response-facts.ts';

export interface SentByModel {
  readonly api: Api;
  readonly body: JsonObject;
  /** As it was sent: members that are `undefined` were not. */
  readonly bodyText: string;
}

/** Adapters hand out the value that they wrote as JSON, some the text. `undefined` where it is of no API that is known. */
export function sentBody(body: unknown, provider: string): SentByModel | undefined {
  const isText = typeof body === 'string' && body.startsWith('{');
  const value: unknown = isText ? JSON.parse(body) : body;
  if (!isRecord(value)) return undefined;
  const api = apiOf(value, provider);
  if (api === undefined) return undefined;
  return { api, body: value as JsonObject, bodyText: isText ? body : JSON.stringify(value) };
}

/** A short body of Anthropic's may look like one of OpenAI's; the adapter's name says which it is. */
function apiOf(body: Record<string, unknown>, provider: string): Api | undefined {
  const api = guessApi(body);
  return api === 'openai.chat' && provider.includes('anthropic') ? 'anthropic.messages' : api;
}
