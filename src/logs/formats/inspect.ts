/**
 * inspect_ai eval logs (`.json`): the model events of all samples. Long strings are kept once, as attachments of their
 * sample. An event that was answered from inspect's own cache called no provider.
 */
import type { Api, Exchange, ExchangeResponse, JsonObject, JsonValue } from '../../exchange.ts';
import { isJsonObject, numberIn, objectIn, stringIn, timeIn } from '../../json-value.ts';
import { guessApi } from '../../prompt/guess-api.ts';
import { suggestScope } from '../../suggested-scope.ts';
import { LogError } from '../log-error.ts';
import { readHeaders } from '../log-headers.ts';
import { readResponse } from '../response-reading.ts';
import type { LogFormat, LogRecord } from './format.ts';

const NAME = 'inspect_ai log';

export const inspect: LogFormat = {
  name: NAME,
  fits: ({ eval: evaluation, plan, samples }) =>
    isJsonObject(evaluation) && (isJsonObject(plan) || Array.isArray(samples)),
  async *read(records, { file, onSkippedLine }) {
    let calls = 0;
    for await (const record of records) {
      for (const { event, sample, source } of eventsOf(record)) {
        calls += 1;
        const exchange = exchangeOf(event, sample);
        if (typeof exchange === 'string') onSkippedLine({ source, reason: exchange });
        else yield { exchange, source };
      }
    }
    if (calls === 0)
      throw new LogError(`${file} (${NAME}) holds no model events: it was written without samples`);
  },
};

interface ModelEvent {
  readonly event: JsonObject;
  readonly sample: JsonObject;
  readonly source: string;
}

/** In the order of time: samples run side by side. */
function eventsOf(record: LogRecord): ModelEvent[] {
  const sources = record.sourcesAt('samples', '*', 'events');
  const found: ModelEvent[] = [];
  let position = 0;
  for (const sample of objectsIn(record.value.samples)) {
    for (const event of objectsIn(sample.events)) {
      const source = sources[position] ?? record.source;
      position += 1;
      if (event.event === 'model' && event.pending !== true) found.push({ event, sample, source });
    }
  }
  return found.sort((a, b) => (timeIn(a.event.timestamp) ?? 0) - (timeIn(b.event.timestamp) ?? 0));
}

function exchangeOf(event: JsonObject, sample: JsonObject): Exchange | string {
  if (event.cache === 'read') return 'was answered from inspect_ai’s own cache';
  const attachments = objectIn(sample.attachments) ?? {};
  const call = objectIn(resolved(event.call ?? null, attachments));
  const recorded = objectIn(call?.request) ?? bodyFromInput(resolved(event, attachments) as JsonObject);
  const { extra_headers, extra_body, ...rest } = recorded;
  const body = { ...rest, ...objectIn(extra_body) };
  const [provider, ...model] = (stringIn(event.model) ?? '').split('/');
  const { headers } = readHeaders(extra_headers);
  const api = apiOf(provider, body);
  if (api === undefined) return 'holds a request of no API that we know';
  const suggested = suggestScope({ headers, body });
  return {
    api,
    body,
    model: model.join('/') || undefined,
    atMs: timeIn(event.timestamp),
    headers,
    scope: {},
    suggestedScope: suggested ?? { thread: `sample ${String(sample.id)} epoch ${String(sample.epoch)}` },
    response: responseOf(api, event, objectIn(call?.response)),
  };
}

function apiOf(provider: string | undefined, body: JsonObject): Api | undefined {
  if (provider === 'anthropic' && Array.isArray(body.messages)) return 'anthropic.messages';
  return guessApi(body);
}

function responseOf(api: Api, event: JsonObject, raw: JsonObject | undefined): ExchangeResponse {
  const reading = readResponse(api, { body: raw });
  const output = objectIn(event.output);
  const error = stringIn(event.error) ?? stringIn(output?.error);
  return {
    ...reading,
    ...(error !== undefined && { ending: 'failed' as const, error: { message: error } }),
    model: reading.model ?? stringIn(output?.model),
    usage: reading.usage ?? usageOf(objectIn(output?.usage)),
    completedAtMs: timeIn(event.completed),
  };
}

/** inspect's own form: `input_tokens` follows the provider, and only OpenAI's include the cached ones. */
function usageOf(usage: JsonObject | undefined): object | undefined {
  if (usage === undefined) return undefined;
  const input = numberIn(usage.input_tokens);
  const read = numberIn(usage.input_tokens_cache_read);
  const write = numberIn(usage.input_tokens_cache_write);
  const total = numberIn(usage.total_tokens);
  const output = numberIn(usage.output_tokens);
  // The total tells which it is.
  const isExclusive = input !== undefined && total !== undefined && total > input + (output ?? 0);
  return {
    prompt_tokens: isExclusive ? input + (read ?? 0) + (write ?? 0) : input,
    completion_tokens: output,
    prompt_tokens_details: { cached_tokens: read, cache_write_tokens: write },
  };
}

/** Without the raw call (`log_model_api` off): inspect's messages, which are OpenAI's but for the calls of tools. */
function bodyFromInput(event: JsonObject): JsonObject {
  return {
    model: (stringIn(event.model) ?? '').split('/').slice(1).join('/'),
    messages: objectsIn(event.input).map(({ role, content, tool_calls, tool_call_id }) => ({
      role,
      content,
      tool_calls: Array.isArray(tool_calls)
        ? objectsIn(tool_calls).map(({ id, function: name, arguments: input }) => ({
            id,
            type: 'function',
            function: { name, arguments: JSON.stringify(input ?? {}) },
          }))
        : undefined,
      tool_call_id,
    })),
    tools: objectsIn(event.tools).map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    })),
  };
}

const ATTACHMENT = 'attachment://';

function resolved(value: JsonValue | undefined, attachments: JsonObject): JsonValue | undefined {
  if (typeof value === 'string') {
    if (!value.startsWith(ATTACHMENT)) return value;
    return attachments[value.slice(ATTACHMENT.length)] ?? value;
  }
  if (Array.isArray(value)) return value.map((element: JsonValue) => resolved(element, attachments) ?? null);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolved(member, attachments)]),
  );
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
