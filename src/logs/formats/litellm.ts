/**
 * LiteLLM's StandardLoggingPayload, one object a call: a line, an element of an array, or a file of its own. Messages are
 * OpenAI's, before LiteLLM translates them, unless the proxy kept the body that it received.
 */
import type { Api, Exchange, ExchangeResponse, JsonObject } from '../../exchange.ts';
import { isJsonObject, numberIn, objectIn, stringIn } from '../../json-value.ts';
import { guessApi } from '../../prompt/guess-api.ts';
import { suggestScope } from '../../suggested-scope.ts';
import { LogError } from '../log-error.ts';
import { readResponse } from '../response-reading.ts';
import type { LogFormat } from './format.ts';

const NAME = 'LiteLLM log';

export const liteLlm: LogFormat = {
  name: NAME,
  fits: (record) => isPayload(payloadOf(record)),
  async *read(records, { file, onSkippedLine }) {
    let calls = 0;
    for await (const { value, source } of records) {
      const payload = payloadOf(value);
      const exchange = isPayload(payload) ? exchangeOf(payload) : 'is not a call that LiteLLM logged';
      if (typeof exchange === 'string') {
        onSkippedLine({ source, reason: exchange });
        continue;
      }
      calls += 1;
      yield { exchange, source };
    }
    if (calls === 0)
      throw new LogError(`${file} (${NAME}) holds no call with its messages: no content to compare`);
  },
  callTime: (record) => millisecondsIn(payloadOf(record).startTime),
};

/** Callbacks write the payload itself, or all of their arguments around it. */
function payloadOf(record: JsonObject): JsonObject {
  return objectIn((objectIn(record.kwargs) ?? record).standard_logging_object) ?? record;
}

function isPayload({
  call_type,
  model_parameters,
  hidden_params,
  startTime,
  messages,
  proxy_server_request,
}: JsonObject): boolean {
  const isLogged =
    typeof call_type === 'string' || isJsonObject(model_parameters) || isJsonObject(hidden_params);
  return (
    isLogged && startTime !== undefined && (messages !== undefined || proxy_server_request !== undefined)
  );
}

function exchangeOf(payload: JsonObject): Exchange | string {
  if (payload.cache_hit === true) return 'was answered from LiteLLM’s own cache';
  const body = bodyOf(payload);
  if (body === undefined) return 'its messages were redacted or not kept';
  const api = apiOf(payload, body);
  if (api === undefined) return `is a call of type ${JSON.stringify(payload.call_type)}`;
  const suggested = suggestScope({ body });
  const trace = stringIn(payload.trace_id);
  return {
    api,
    body,
    model: stringIn(payload.model),
    atMs: millisecondsIn(payload.startTime),
    endpoint: hostOf(stringIn(payload.api_base)),
    scope: {},
    suggestedScope: suggested ?? (trace === undefined ? undefined : { thread: trace }),
    response: responseOf(api, payload),
  };
}

function bodyOf(payload: JsonObject): JsonObject | undefined {
  const received = objectIn(objectIn(payload.proxy_server_request)?.body);
  if (received !== undefined && ('messages' in received || 'input' in received || 'contents' in received))
    return received;
  const { messages, model, model_parameters } = payload;
  const wrapped = objectIn(messages);
  const settings = objectIn(model_parameters);
  if (wrapped !== undefined) return { model, ...settings, ...wrapped };
  if (!Array.isArray(messages)) return undefined;
  const field = /responses/.test(String(payload.call_type)) ? 'input' : 'messages';
  return { model, ...settings, [field]: messages };
}

function apiOf({ call_type }: JsonObject, body: JsonObject): Api | undefined {
  if (/embedding|rerank|image|speech|transcription|moderation/.test(String(call_type))) return undefined;
  if (/anthropic_messages/.test(String(call_type)) && 'messages' in body) return 'anthropic.messages';
  // What passed through the completion call is OpenAI's form, whatever model answered.
  if (/^a?(?:text_)?completion$/.test(String(call_type)) && 'messages' in body) return 'openai.chat';
  return guessApi(body);
}

function responseOf(api: Api, payload: JsonObject): ExchangeResponse {
  const reading = readResponse(api, { body: objectIn(payload.response) });
  const error = stringIn(payload.error_str);
  const hasFailed = payload.status === 'failure' || error !== undefined;
  return {
    ...reading,
    ...(hasFailed && { ending: 'failed' as const, error: { message: error?.slice(0, 200) } }),
    usage: reading.usage ?? objectIn(objectIn(payload.metadata)?.usage_object) ?? totalsOf(payload),
    firstByteAtMs: millisecondsIn(payload.completionStartTime),
    completedAtMs: millisecondsIn(payload.endTime),
  };
}

/** How much of it was cached is not known then. */
function totalsOf({ prompt_tokens, completion_tokens }: JsonObject): object | undefined {
  return numberIn(prompt_tokens) ? { prompt_tokens, completion_tokens } : undefined;
}

function millisecondsIn(value: unknown): number | undefined {
  if (typeof value === 'string') {
    const atMs = Date.parse(value);
    return Number.isNaN(atMs) ? undefined : atMs;
  }
  const seconds = numberIn(value);
  return seconds === undefined ? undefined : seconds * 1_000;
}

function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : /^(?:https?:\/\/)?([^/]+)/.exec(url)?.[1];
}
