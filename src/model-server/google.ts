/**
 * Gemini: `POST /v1beta/models/MODEL:generateContent` and `:streamGenerateContent?alt=sse`, and the paths of Vertex. Shapes
 * follow the types of `@google/genai` 3.3.0. Without `alt=sse` Google streams one JSON array; no SDK asks for that.
 */
import type { Answer, AnswerContext, ApiModule } from './answer.ts';
import { decideGoogle } from './google-cache.ts';
import { googleErrorBody } from './google-errors.ts';
import { ProviderError } from './provider-error.ts';
import { tokensOfText } from './segments.ts';
import { dataEvent, type Pieces, SSE_TYPE } from './sse.ts';
import type { CacheFigures, JsonObject, ModelRequest, Reply } from './types.ts';

export const googleGenerateContent: ApiModule = {
  api: 'google.generateContent',
  path: /^\/v1(?:beta1?)?\/(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/google\/)?models\/(?<model>[^/:]+):(?:generateContent|streamGenerateContent)$/,
  isStreaming: (_body, path) => path.endsWith(':streamGenerateContent'),
  streamType: SSE_TYPE,
  requestIdHeader: 'x-request-id',

  answer({ body, model }: ModelRequest, context: AnswerContext): Answer {
    if (body.contents === undefined) {
      throw new ProviderError(400, '* GenerateContentRequest.contents: contents is not specified\n');
    }
    const { figures, commit } = decideGoogle(body, model, context);
    const head = { modelVersion: model, responseId: context.newId('') };
    const parts = partsOf(context);
    const usage = usageOf(figures, context.reply, parts);
    return {
      figures,
      usage,
      json: { candidates: [candidateOf(parts, 'STOP')], usageMetadata: usage, ...head },
      events: (pieces) => eventsOf(parts, usage, head, pieces),
      begin: commit,
    };
  },

  errorBody: googleErrorBody,
  errorEvent: (error) => dataEvent(googleErrorBody(error)),
};

function* eventsOf(
  parts: readonly JsonObject[],
  usage: JsonObject,
  head: JsonObject,
  pieces: Pieces,
): Iterable<string> {
  const { promptTokenCount, cachedContentTokenCount } = usage;
  // Each chunk states the usage so far.
  const usageSoFar = {
    promptTokenCount,
    totalTokenCount: promptTokenCount,
    ...(cachedContentTokenCount !== undefined && { cachedContentTokenCount }),
  };
  for (const part of parts) {
    const texts = typeof part.text === 'string' ? pieces(part.text) : [undefined];
    for (const text of texts) {
      const piece = text === undefined ? part : { ...part, text };
      yield dataEvent({ candidates: [candidateOf([piece])], usageMetadata: usageSoFar, ...head });
    }
  }
  yield dataEvent({ candidates: [candidateOf([{ text: '' }], 'STOP')], usageMetadata: usage, ...head });
}

function candidateOf(parts: readonly JsonObject[], finishReason?: string): JsonObject {
  const content = { role: 'model', parts: [...parts] };
  return { content, ...(finishReason !== undefined && { finishReason }), index: 0 };
}

function partsOf({ reply, newId }: AnswerContext): JsonObject[] {
  const { thinking, text, toolCalls = [] } = reply;
  return [
    ...(thinking === undefined ? [] : [{ text: thinking, thought: true }]),
    ...(text === undefined ? [] : [{ text }]),
    ...toolCalls.map(({ id, name, input }) => ({
      functionCall: { id: id ?? newId('call_'), name, args: input },
    })),
  ];
}

/** The prompt count includes what was read. Zeros are left out, as Google does. */
function usageOf(
  { inputTokens, readTokens }: CacheFigures,
  reply: Reply,
  parts: readonly JsonObject[],
): JsonObject {
  const thoughts = tokensOfText(reply.thinking ?? '');
  const candidates = tokensOfText(JSON.stringify(parts.filter(({ thought }) => thought !== true)));
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: candidates,
    totalTokenCount: inputTokens + candidates + thoughts,
    ...(readTokens > 0 && {
      cachedContentTokenCount: readTokens,
      cacheTokensDetails: [{ modality: 'TEXT', tokenCount: readTokens }],
    }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: inputTokens }],
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
  };
}
