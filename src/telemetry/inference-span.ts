/**
 * Our own span of a call, for applications whose client makes none: named and filled after the GenAI conventions
 * (`gen_ai.client.inference`). Pure.
 *
 * Usage is set only where the response reported it: an estimate must never look like a bill.
 */
import type { Attributes } from '@opentelemetry/api';
import type { DiagnosedCall } from '../diagnosis.ts';
import type { ExchangeRequest, ExchangeResponse } from '../exchange.ts';
import { integer, knownOnly, type Pair } from './attribute-values.ts';
import { splitEndpoint } from './endpoint.ts';
import { providerName } from './provider-name.ts';
import * as semconv from './semconv.ts';

export interface InferenceSpan {
  readonly name: string;
  readonly attributes: Attributes;
}

export function inferenceSpan(
  request: Pick<ExchangeRequest, 'api' | 'model' | 'atMs' | 'endpoint' | 'scope'>,
  response: ExchangeResponse,
  call: DiagnosedCall | undefined,
  cacheWriteNames: readonly string[],
): InferenceSpan {
  const operation = request.api === 'google.generateContent' ? 'generate_content' : 'chat';
  const model = requestModel(request, call);
  const server = splitEndpoint(request.endpoint);
  return {
    name: model === undefined ? operation : `${operation} ${model}`,
    attributes: knownOnly([
      [semconv.ATTR_GEN_AI_OPERATION_NAME, operation],
      [semconv.ATTR_GEN_AI_PROVIDER_NAME, providerName(request.api, server.address)],
      [semconv.ATTR_GEN_AI_REQUEST_MODEL, model],
      // Only what the application declared: the conventions forbid a made-up conversation id.
      [semconv.ATTR_GEN_AI_CONVERSATION_ID, request.scope.thread],
      [semconv.ATTR_GEN_AI_RESPONSE_ID, response.id],
      [semconv.ATTR_GEN_AI_RESPONSE_MODEL, response.model],
      [semconv.ATTR_SERVER_ADDRESS, server.address],
      [semconv.ATTR_SERVER_PORT, server.port],
      [semconv.ATTR_ERROR_TYPE, errorType(response)],
      [semconv.ATTR_HTTP_REQUEST_RESEND_COUNT, response.attempts && response.attempts - 1],
      ...streamPairs(request, response),
      ...usagePairs(response, call, cacheWriteNames),
    ]),
  };
}

/** What answered stands in where nothing says what was asked for. */
export function requestModel(
  { model }: Pick<ExchangeRequest, 'model'>,
  call: DiagnosedCall | undefined,
): string | undefined {
  return model ?? call?.evidence.requestModel ?? call?.diagnosis.model ?? undefined;
}

function streamPairs({ atMs }: Pick<ExchangeRequest, 'atMs'>, { firstChunkAtMs }: ExchangeResponse): Pair[] {
  if (firstChunkAtMs === undefined) return [];
  return [
    [semconv.ATTR_GEN_AI_REQUEST_STREAM, true],
    [
      semconv.ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK,
      atMs === undefined ? undefined : (firstChunkAtMs - atMs) / 1000,
    ],
  ];
}

/** A low-cardinality word for what went wrong, or nothing. A caller that stopped reading is no error. */
function errorType(response: ExchangeResponse): string | undefined {
  if (response.ending !== 'failed') return undefined;
  const { type } = response.error ?? {};
  if (type !== undefined && /^[\w.:-]{1,64}$/.test(type)) return type;
  return response.status === undefined ? '_OTHER' : String(response.status);
}

function usagePairs(
  response: ExchangeResponse,
  call: DiagnosedCall | undefined,
  cacheWriteNames: readonly string[],
): Pair[] {
  const tokens = call?.diagnosis.tokens;
  const isReported = tokens?.method === 'usage';
  const written = integer(tokens?.cacheWrite);
  return [
    [semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS, isReported ? integer(tokens?.input) : undefined],
    [semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS, outputTokens(response.usage)],
    [semconv.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS, integer(tokens?.cacheRead)],
    ...cacheWriteNames.map((name): Pair => [name, written]),
  ];
}

/** Output tokens as the APIs name them: Anthropic and Responses, chat completions, Bedrock, Gemini (thoughts on top). */
function outputTokens(usage: unknown): number | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined;
  const fields = usage as Readonly<Record<string, unknown>>; // an object read field by field, each checked below
  for (const name of ['output_tokens', 'completion_tokens', 'outputTokens']) {
    const value = fields[name];
    if (typeof value === 'number') return integer(value);
  }
  const { candidatesTokenCount: candidates, thoughtsTokenCount: thoughts } = fields;
  if (typeof candidates !== 'number') return undefined;
  return integer(candidates + (typeof thoughts === 'number' ? thoughts : 0));
}
