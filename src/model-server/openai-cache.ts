/**
 * How OpenAI's cache answers a rendered prompt. Source: https://developers.openai.com/api/docs/guides/prompt-caching
 *
 * GPT-5.6 and later: writes at the end of the latest eligible message (implicit mode) and at explicit marks, four in
 * all; reads at exactly such boundaries. Before: any shared prefix in whole steps.
 */
import type { AnswerContext } from './answer.ts';
import type { BoundaryQuestion, CacheDecision } from './boundary-cache.ts';
import type { OpenAiPrompt } from './openai-prompt.ts';
import { OPENAI, openAiCaching } from './rules.ts';
import { isObject, stringOf } from './segments.ts';
import type { JsonObject } from './types.ts';

export function decideOpenAi(body: JsonObject, prompt: OpenAiPrompt, context: AnswerContext): CacheDecision {
  const { state, account, nowMs } = context;
  const model = stringOf(body.model);
  const { segments } = prompt;
  const { minimumTokens } = OPENAI;
  const caching = openAiCaching(model, body.prompt_cache_retention);
  if (caching.by === 'steps') {
    // `prompt_cache_key` is a hint to the router here: another key may or may not miss. This server has one machine.
    const partition = JSON.stringify([account, model]);
    return state.sharedPrefixCache.decide({ ...caching, partition, segments, minimumTokens, nowMs });
  }
  // From GPT-5.6 on the key partitions the accounting of the cache.
  const partition = JSON.stringify([account, model, body.prompt_cache_key ?? null]);
  return state.boundaryCache.decide({
    partition,
    segments,
    minimumTokens,
    nowMs,
    ...boundariesOf(body, prompt),
  });
}

export function writesToCache(body: JsonObject): boolean {
  return openAiCaching(stringOf(body.model), undefined).by === 'breakpoints';
}

/** Lifetime of a mark that names none. */
export function defaultTtlMs(body: JsonObject): number {
  const options = body.prompt_cache_options;
  return (isObject(options) && OPENAI.ttlMs[stringOf(options.ttl)]) || (OPENAI.ttlMs['30m'] ?? 0);
}

function boundariesOf(body: JsonObject, prompt: OpenAiPrompt): Pick<BoundaryQuestion, 'writes' | 'lookups'> {
  const { segments, developerBoundary } = prompt;
  const options = body.prompt_cache_options;
  const isImplicit = !isObject(options) || options.mode !== 'explicit';
  const explicit = segments.flatMap(({ markTtlMs }, index) =>
    markTtlMs === undefined ? [] : [{ boundary: index + 1, ttlMs: markTtlMs }],
  );
  const eligible = segments.flatMap(({ isEligibleEnd }, index) => (isEligibleEnd ? [index + 1] : []));
  const explicitLookups = explicit.slice(-OPENAI.maxExplicitLookups).map(({ boundary }) => boundary);
  if (!isImplicit) return { writes: explicit.slice(-OPENAI.maxWrites), lookups: [explicitLookups] };

  const latest = eligible.at(-1);
  const implicit = latest === undefined ? [] : [{ boundary: latest, ttlMs: defaultTtlMs(body) }];
  // Where an explicit mark stands at the implicit place, the explicit one is meant.
  const others = explicit
    .filter(({ boundary }) => boundary !== latest)
    .slice(-(OPENAI.maxWrites - implicit.length));
  const same = explicit.filter(({ boundary }) => boundary === latest);
  return {
    writes: [...others, ...(same.length > 0 ? same : implicit)],
    lookups: [
      [
        ...explicitLookups,
        ...eligible.slice(-1 - OPENAI.maxEarlierImplicitLookups),
        developerBoundary,
      ].filter((boundary) => boundary > 0),
    ],
  };
}
