/** OpenTelemetry's GenAI conventions: messages, instructions and tools as one attribute each, JSON in a text. */
import type { JsonObject } from '../exchange.ts';
import { numberIn, stringIn } from '../json-value.ts';
import type { SpanDialect, SpanFacts } from './dialect.ts';
import { objectsIn, tracedBody, unpacked } from './genai-messages.ts';

/** Spans around calls repeat the content of the calls. */
const NO_CALL = /agent|tool|workflow|embedding|retrieval|plan|memory|rerank/;

export const genAi: SpanDialect = {
  isModelCall(attributes) {
    if (stringIn(attributes['gen_ai.request.model']) === undefined) return false;
    return !NO_CALL.test(String(attributes['gen_ai.operation.name'] ?? ''));
  },
  bodyOf(attributes) {
    const messages = objectsIn(unpacked(attributes['gen_ai.input.messages']));
    if (messages === undefined || messages.length === 0) return undefined;
    return tracedBody({
      model: stringIn(attributes['gen_ai.request.model']),
      provider: providerOf(attributes),
      messages,
      instructions: instructionsOf(unpacked(attributes['gen_ai.system_instructions'])),
      tools: objectsIn(unpacked(attributes['gen_ai.tool.definitions'])),
    });
  },
  threadOf: (attributes) => stringIn(attributes['gen_ai.conversation.id']),
  responseOf: (span) => ({
    id: stringIn(span.attributes['gen_ai.response.id']),
    model: stringIn(span.attributes['gen_ai.response.model']),
    usage: usageOf(span),
  }),
};

export function providerOf(attributes: JsonObject): string | undefined {
  return stringIn(attributes['gen_ai.provider.name']) ?? stringIn(attributes['gen_ai.system'])?.toLowerCase();
}

function instructionsOf(value: unknown): JsonObject[] | undefined {
  return typeof value === 'string' && value !== '' ? [{ type: 'text', content: value }] : objectsIn(value);
}

/**
 * The conventions include cached tokens in the input. OpenLLMetry passes on what Anthropic says, which does not; elsewhere
 * an input smaller than its cached part shows the same.
 */
function usageOf({ attributes, instrumentation = '' }: SpanFacts): object | undefined {
  const count = (name: string) =>
    numberIn(attributes[`gen_ai.usage.${name}`]) ?? numberIn(attributes[`llm.usage.${name}`]);
  const input = count('input_tokens') ?? count('prompt_tokens');
  if (input === undefined) return undefined;
  const read = count('cache_read.input_tokens') ?? count('cache_read_input_tokens');
  const write =
    count('cache_write.input_tokens') ??
    count('cache_creation.input_tokens') ??
    count('cache_creation_input_tokens');
  const cached = (read ?? 0) + (write ?? 0);
  const isExclusive = cached > input || /traceloop.*anthropic/.test(instrumentation);
  return {
    prompt_tokens: isExclusive ? input + cached : input,
    completion_tokens: count('output_tokens') ?? count('completion_tokens'),
    prompt_tokens_details: { cached_tokens: read, cache_write_tokens: write },
  };
}
