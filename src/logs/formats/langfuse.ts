/**
 * Langfuse exports: a trace with its observations, or observations by themselves. Generations are the calls; prompt,
 * answer and metadata are JSON texts in some exports and values in others.
 */
import type { Exchange, ExchangeResponse, JsonObject } from '../../exchange.ts';
import { isJsonObject, numberIn, objectIn, stringIn, timeIn } from '../../json-value.ts';
import { objectsIn, type TracedBody, tracedBody, unpacked } from '../../spans/genai-messages.ts';
import { LogError } from '../log-error.ts';
import type { LogFormat, LogRecord } from './format.ts';

const NAME = 'Langfuse export';

export const langfuse: LogFormat = {
  name: NAME,
  fits: (record) => isObservation(record) || observationsIn(record)?.some(isObservation) === true,
  async *read(records, { file, onSkippedLine }) {
    let calls = 0;
    for await (const record of records) {
      for (const { value, source } of generationsOf(record)) {
        const exchange = exchangeOf(value);
        if (exchange === undefined) {
          onSkippedLine({ source, reason: 'a generation without its prompt: no content to compare' });
          continue;
        }
        calls += 1;
        yield { exchange, source };
      }
    }
    if (calls === 0)
      throw new LogError(`${file} (${NAME}) holds no generation with its prompt: no content to compare`);
  },
};

function isObservation({ type, traceId, startTime }: JsonObject): boolean {
  return typeof type === 'string' && typeof traceId === 'string' && startTime !== undefined;
}

/** The trace's own list, or the page that the API answers with. */
function observationsIn(record: JsonObject): JsonObject[] | undefined {
  return objectsIn(record.observations) ?? objectsIn(record.data);
}

function generationsOf(record: LogRecord): { value: JsonObject; source: string }[] {
  const { value } = record;
  const list = Array.isArray(value.observations)
    ? 'observations'
    : Array.isArray(value.data)
      ? 'data'
      : undefined;
  const sources = list === undefined ? [] : record.sourcesAt(list);
  const observations: readonly unknown[] = list === undefined ? [value] : (value[list] as readonly unknown[]);
  return observations
    .map((observation, index) => ({
      value: objectIn(observation) ?? {},
      source: sources[index] ?? record.source,
    }))
    .filter(({ value: { type } }) => type === 'GENERATION')
    .sort((a, b) => (timeIn(a.value.startTime) ?? 0) - (timeIn(b.value.startTime) ?? 0));
}

function exchangeOf(generation: JsonObject): Exchange | undefined {
  const attributes = objectIn(objectIn(unpacked(generation.metadata))?.attributes) ?? {};
  const traced = bodyOf(generation, attributes);
  if (traced === undefined) return undefined;
  return {
    ...traced,
    atMs: timeIn(generation.startTime),
    endpoint: stringIn(attributes['server.address']),
    scope: {},
    suggestedScope: { thread: stringIn(generation.sessionId) ?? String(generation.traceId) },
    response: responseOf(generation),
  };
}

function bodyOf(generation: JsonObject, attributes: JsonObject): TracedBody | undefined {
  const input = unpacked(generation.input);
  const wrapped = objectIn(input);
  const messages = objectsIn(unpacked(wrapped?.messages ?? wrapped?.input)) ?? objectsIn(input);
  if (messages === undefined || messages.length === 0) return undefined;
  const settings = objectIn(unpacked(generation.modelParameters));
  const instructions = stringIn(wrapped?.instructions) ?? stringIn(settings?.instructions);
  return tracedBody({
    model: stringIn(attributes['gen_ai.request.model']) ?? stringIn(generation.model),
    provider: stringIn(attributes['gen_ai.provider.name']) ?? stringIn(attributes['gen_ai.system']),
    messages,
    instructions: instructions === undefined ? undefined : [{ type: 'text', content: instructions }],
    tools:
      objectsIn(unpacked(wrapped?.tools)) ??
      objectsIn(unpacked(settings?.tools)) ??
      objectsIn(unpacked(attributes['gen_ai.tool.definitions'])) ??
      openInferenceTools(attributes),
    isResponses: objectIn(unpacked(generation.output))?.object === 'response',
  });
}

/** OpenInference numbers them: `llm.tools.0.tool.json_schema`. */
function openInferenceTools(attributes: JsonObject): JsonObject[] | undefined {
  const tools: JsonObject[] = [];
  for (let index = 0; ; index += 1) {
    const tool = unpacked(attributes[`llm.tools.${index}.tool.json_schema`]);
    if (!isJsonObject(tool)) return tools.length > 0 ? tools : undefined;
    tools.push(tool);
  }
}

function responseOf(generation: JsonObject): ExchangeResponse {
  const hasFailed = generation.level === 'ERROR';
  return {
    ending: hasFailed ? 'failed' : 'completed',
    error: hasFailed ? { message: stringIn(generation.statusMessage)?.slice(0, 200) } : undefined,
    model: stringIn(generation.model),
    usage: usageOf(objectIn(generation.usageDetails) ?? objectIn(generation.usage)),
    firstByteAtMs: timeIn(generation.completionStartTime ?? undefined),
    completedAtMs: timeIn(generation.endTime ?? undefined),
  };
}

/** Names differ by integration, and so does whether `input` includes the cached part. */
function usageOf(usage: JsonObject | undefined): object | undefined {
  const input = numberIn(usage?.input);
  if (usage === undefined || input === undefined) return undefined;
  const apart =
    numberIn(usage.input_cache_read) ??
    numberIn(usage.cache_read_input_tokens) ??
    numberIn(usage.input_cached_tokens);
  const read = apart ?? numberIn(usage['prompt_details.cache_read']);
  const write =
    numberIn(usage.input_cache_creation) ??
    numberIn(usage.cache_creation_input_tokens) ??
    numberIn(usage['prompt_details.cache_write']);
  const cached = (read ?? 0) + (write ?? 0);
  // Parts that are listed beside `input` were taken out of it; more cached than input says so too.
  const isExclusive = apart !== undefined || cached > input;
  return {
    prompt_tokens: isExclusive ? input + cached : input,
    completion_tokens: numberIn(usage.output),
    prompt_tokens_details: { cached_tokens: read, cache_write_tokens: write },
  };
}
