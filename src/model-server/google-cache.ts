/**
 * How Gemini's caches answer. Source: https://ai.google.dev/gemini-api/docs/caching (2026-10-13)
 *
 * Implicit, from 2.5 on: a prefix that was sent before, from a minimum on. Explicit: a cache object whose content stands
 * before the contents of the request and is read whole. Granularity and lifetime of the implicit cache are not documented:
 * single tokens and an hour without use are chosen here.
 */
import type { AnswerContext } from './answer.ts';
import type { CacheDecision } from './boundary-cache.ts';
import { googleSegments } from './google-prompt.ts';
import { ProviderError } from './provider-error.ts';
import { prefixesOf, stringOf } from './segments.ts';
import type { JsonObject } from './types.ts';

const HOUR_MS = 3_600_000;

/** Smallest prefix that is cached, implicitly or in an object. Models before 2.5 have the explicit cache alone. */
export function googleMinimumTokens(model: string): number {
  return /^gemini-2\b/.test(model) ? 2048 : 4096;
}

export function decideGoogle(body: JsonObject, model: string, context: AnswerContext): CacheDecision {
  const { state, account, nowMs } = context;
  const name = stringOf(body.cachedContent);
  if (name !== '') return readObject(name, body, context);
  const hasImplicitCache = !/^gemini-(1|2\.0)/.test(model);
  return state.sharedPrefixCache.decide({
    partition: JSON.stringify([account, model]),
    segments: googleSegments(body),
    stepTokens: 1,
    minimumTokens: hasImplicitCache ? googleMinimumTokens(model) : Number.POSITIVE_INFINITY,
    idleMs: HOUR_MS,
    maxAgeMs: 24 * HOUR_MS,
    nowMs,
  });
}

function readObject(name: string, body: JsonObject, { state, nowMs }: AnswerContext): CacheDecision {
  const held = state.storedItems.get(name)?.[0];
  if (held === undefined || Date.parse(stringOf(held.expireTime)) <= nowMs) {
    throw new ProviderError(403, 'CachedContent not found (or permission denied)');
  }
  if (body.systemInstruction !== undefined || body.tools !== undefined || body.toolConfig !== undefined) {
    throw new ProviderError(
      400,
      'CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.',
    );
  }
  const cached = googleSegments(held);
  const { tokens } = prefixesOf([...cached, ...googleSegments(body)]);
  return {
    figures: {
      inputTokens: tokens.at(-1) ?? 0,
      readTokens: tokens[cached.length] ?? 0,
      writtenTokens: 0,
      writtenTokensByTtlMs: {},
    },
    commit: () => undefined,
  };
}
