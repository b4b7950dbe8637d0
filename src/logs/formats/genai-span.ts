/**
 * A span of a model call with GenAI attributes → an exchange, where its content was captured. Attributes come as a plain
 * object here, whatever the file wraps them in.
 */
import type { Exchange, ExchangeResponse, JsonObject } from '../../exchange.ts';
import { numberIn, stringIn } from '../json-value.ts';
import { objectsIn, tracedBody, unpacked } from './genai-messages.ts';

export interface ModelSpan {
  readonly attributes: JsonObject;
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  readonly traceId: string | undefined;
  readonly hasFailed: boolean;
}

/** Spans around calls repeat the content of the calls. */
const NO_CALL = /agent|tool|workflow|embedding|retrieval|plan|memory|rerank/;

export function isModelCall(attributes: JsonObject): boolean {
  if (stringIn(attributes['gen_ai.request.model']) === undefined) return false;
  return !NO_CALL.test(String(attributes['gen_ai.operation.name'] ?? ''));
}

/** `undefined`: the span holds no prompt. */
export function spanExchange({
  attributes,
  startMs,
  endMs,
  traceId,
  hasFailed,
}: ModelSpan): Exchange | undefined {
  const messages = objectsIn(unpacked(attributes['gen_ai.input.messages']));
  if (messages === undefined || messages.length === 0) return undefined;
  const traced = tracedBody({
    model: stringIn(attributes['gen_ai.request.model']),
    provider: stringIn(attributes['gen_ai.provider.name']) ?? stringIn(attributes['gen_ai.system']),
    messages,
    instructions: instructionsOf(unpacked(attributes['gen_ai.system_instructions'])),
    tools: objectsIn(unpacked(attributes['gen_ai.tool.definitions'])),
  });
  if (traced === undefined) return undefined;
  const thread = stringIn(attributes['gen_ai.conversation.id']) ?? traceId;
  return {
    ...traced,
    atMs: startMs,
    endpoint: stringIn(attributes['server.address']),
    scope: {},
    suggestedScope: thread === undefined ? undefined : { thread },
    response: responseOf(attributes, endMs, hasFailed),
  };
}

function instructionsOf(value: unknown): JsonObject[] | undefined {
  return typeof value === 'string' && value !== '' ? [{ type: 'text', content: value }] : objectsIn(value);
}

function responseOf(
  attributes: JsonObject,
  completedAtMs: number | undefined,
  hasFailed: boolean,
): ExchangeResponse {
  return {
    ending: hasFailed ? 'failed' : 'completed',
    id: stringIn(attributes['gen_ai.response.id']),
    model: stringIn(attributes['gen_ai.response.model']),
    usage: usageOf(attributes),
    completedAtMs,
  };
}

/** The conventions include cached tokens in the input; an input smaller than its cached part was counted without it. */
function usageOf(attributes: JsonObject): object | undefined {
  const count = (name: string) => numberIn(attributes[`gen_ai.usage.${name}`]);
  const input = count('input_tokens') ?? count('prompt_tokens');
  if (input === undefined) return undefined;
  const read = count('cache_read.input_tokens') ?? count('cache_read_input_tokens');
  const write =
    count('cache_write.input_tokens') ??
    count('cache_creation.input_tokens') ??
    count('cache_creation_input_tokens');
  const cached = (read ?? 0) + (write ?? 0);
  return {
    prompt_tokens: cached > input ? input + cached : input,
    completion_tokens: count('output_tokens') ?? count('completion_tokens'),
    prompt_tokens_details: { cached_tokens: read, cache_write_tokens: write },
  };
}
