/**
 * Gemini's cache objects: `POST /v1beta/cachedContents` makes one. Listing, changing and deleting them is not played.
 */
import type { Answer, AnswerContext, ApiModule } from './answer.ts';
import { googleMinimumTokens } from './google-cache.ts';
import { googleErrorBody } from './google-errors.ts';
import { googleSegments } from './google-prompt.ts';
import { ProviderError } from './provider-error.ts';
import { prefixesOf, stringOf } from './segments.ts';
import { dataEvent, SSE_TYPE } from './sse.ts';
import type { JsonObject, ModelRequest } from './types.ts';

const DEFAULT_TTL_SECONDS = 3600;

export const googleCachedContents: ApiModule = {
  api: 'google.cachedContents',
  path: /^\/v1(?:beta1?)?\/(?:projects\/[^/]+\/locations\/[^/]+\/)?cachedContents$/,
  isStreaming: () => false,
  streamType: SSE_TYPE,
  requestIdHeader: 'x-request-id',

  answer({ body, model }: ModelRequest, { state, nowMs, newId }: AnswerContext): Answer {
    const totalTokenCount = prefixesOf(googleSegments(body)).tokens.at(-1) ?? 0;
    const minimum = googleMinimumTokens(model.replace(/^models\//, ''));
    if (totalTokenCount < minimum) {
      throw new ProviderError(
        400,
        `Cached content is too small. total_token_count=${totalTokenCount}, min_total_token_count=${minimum}`,
      );
    }
    const name = `cachedContents/${newId('')}`;
    const usage = { totalTokenCount };
    const time = new Date(nowMs).toISOString();
    const expireTime = new Date(nowMs + ttlMsOf(body)).toISOString();
    return {
      figures: {
        inputTokens: totalTokenCount,
        readTokens: 0,
        writtenTokens: totalTokenCount,
        writtenTokensByTtlMs: { [ttlMsOf(body)]: totalTokenCount },
      },
      usage,
      json: { name, model, createTime: time, updateTime: time, expireTime, usageMetadata: usage },
      events: () => [],
      begin: () => {
        state.storedItems.set(name, [{ ...body, expireTime }]);
      },
    };
  },

  errorBody: googleErrorBody,
  errorEvent: (error) => dataEvent(googleErrorBody(error)),
};

/** A duration of protobuf: `300s`. */
function ttlMsOf({ ttl }: JsonObject): number {
  const seconds = Number.parseFloat(stringOf(ttl));
  return (Number.isFinite(seconds) ? seconds : DEFAULT_TTL_SECONDS) * 1000;
}
