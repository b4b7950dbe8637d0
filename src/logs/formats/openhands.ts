/** OpenHands completions (`llm_completions`, `log_completions_folder`): one file a call; a folder is one sequence. */
import type { Exchange, JsonObject } from '../../exchange.ts';
import { isJsonObject, numberIn, objectIn, stringIn } from '../../json-value.ts';
import { readResponse } from '../response-reading.ts';
import type { LogFormat } from './format.ts';

export const openHands: LogFormat = {
  name: 'OpenHands completions',
  fits: ({ messages, response, kwargs, timestamp, cost }) =>
    Array.isArray(messages) &&
    isJsonObject(response) &&
    timestamp !== undefined &&
    (isJsonObject(kwargs) || cost !== undefined),
  async *read(records) {
    for await (const { value, source } of records) yield { exchange: exchangeOf(value), source };
  },
  callTime: startOf,
};

function exchangeOf(file: JsonObject): Exchange {
  const { extra_body, extra_headers: _, messages: __, ...settings } = objectIn(file.kwargs) ?? {};
  // Where calls of tools are only emulated, the raw messages are what was sent, and no tools were.
  const isEmulated = Array.isArray(file.raw_messages);
  const response = objectIn(file.raw_response) ?? objectIn(file.response) ?? objectIn(file.fncall_response);
  const read = readResponse('openai.chat', { body: response });
  const model = modelId(stringIn(settings.model) ?? read.model);
  const seconds = numberIn(file.timestamp);
  return {
    api: 'openai.chat',
    body: {
      ...settings,
      ...extraBody(extra_body),
      model,
      tools: isEmulated ? undefined : (settings.tools ?? file.tools),
      messages: isEmulated ? file.raw_messages : file.messages,
    },
    atMs: startOf(file),
    scope: {},
    response: {
      ...read,
      model: modelId(read.model),
      completedAtMs: seconds === undefined ? undefined : seconds * 1_000,
    },
  };
}

/** The proxy's own prefix is no part of the id. */
function modelId(model: string | undefined): string | undefined {
  return model?.replace(/^litellm_proxy\//, '');
}

/** What the proxy passes on; its own tags are no part of the request. */
function extraBody(value: unknown): JsonObject {
  const { metadata: _, ...sent } = objectIn(value) ?? {};
  return sent;
}

/** The file is written when the call has ended. */
function startOf({ timestamp, latency_sec }: JsonObject): number | undefined {
  const seconds = numberIn(timestamp);
  return seconds === undefined ? undefined : Math.round((seconds - (numberIn(latency_sec) ?? 0)) * 1_000);
}
