/**
 * Usage as each API returns it, read into one form (shapes: providers.md §§1.3, 2, 3.3, 5, 6, 11).
 * Two families: Anthropic and Bedrock Converse exclude cached tokens from their input count, all others include them.
 * `null` is "the API did not say". A contradiction (more cached than input, negative counts) is named, never printed.
 */
import type { Api } from '../exchange.ts';
import { isObject } from './leaves.ts';

export interface TokenUsage {
  /** All input tokens, cached ones included. */
  readonly input: number;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  /** Neither read nor written. */
  readonly uncached: number | null;
  readonly output: number | null;
  /** Part of `cacheWrite` at the price of the longer TTL (1 h at Anthropic and Bedrock, 12 h at OpenAI). */
  readonly longTtlWrite: number | null;
}

export function readUsage(api: Api, usage: unknown): TokenUsage | null {
  if (!isObject(usage)) return null;
  if (api === 'google.generateContent') return readGoogle(usage);
  if (api === 'bedrock.converse' || usage.inputTokens !== undefined) return readBedrock(usage);
  if (usage.prompt_eval_count !== undefined) return readOllama(usage);
  // A relay may answer in another dialect than it was asked in: the fields say which (LiteLLM issue 35127).
  if (usage.prompt_tokens !== undefined)
    return readOpenAI(usage, 'prompt_tokens', 'completion_tokens', 'prompt_tokens_details');
  if (usage.input_tokens_details !== undefined || api.startsWith('openai')) {
    return readOpenAI(usage, 'input_tokens', 'output_tokens', 'input_tokens_details');
  }
  return readAnthropic(usage);
}

/** Beyond the safe integers sums overflow; no prompt is that long. */
function count(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : null;
}

function readAnthropic(usage: Fields): TokenUsage | null {
  const uncached = count(usage.input_tokens);
  if (uncached === null) return null;
  const cacheRead = count(usage.cache_read_input_tokens);
  const cacheWrite = count(usage.cache_creation_input_tokens);
  const creation = isObject(usage.cache_creation) ? usage.cache_creation : {};
  return {
    input: uncached + (cacheRead ?? 0) + (cacheWrite ?? 0),
    cacheRead,
    cacheWrite,
    uncached,
    output: count(usage.output_tokens),
    longTtlWrite: count(creation.ephemeral_1h_input_tokens),
  };
}

function readBedrock(usage: Fields): TokenUsage | null {
  const uncached = count(usage.inputTokens);
  if (uncached === null) return null;
  const cacheRead = count(usage.cacheReadInputTokens ?? usage.cacheReadInputTokenCount);
  const cacheWrite = count(usage.cacheWriteInputTokens ?? usage.cacheWriteInputTokenCount);
  const details = Array.isArray(usage.cacheDetails) ? usage.cacheDetails.filter(isObject) : [];
  const long = details
    .filter((detail) => detail.ttl === '1h')
    .map((detail) => count(detail.inputTokens) ?? 0);
  return {
    input: uncached + (cacheRead ?? 0) + (cacheWrite ?? 0),
    cacheRead,
    cacheWrite,
    uncached,
    output: count(usage.outputTokens),
    longTtlWrite: details.length > 0 ? long.reduce((sum, tokens) => sum + tokens, 0) : null,
  };
}

function readOpenAI(
  usage: Fields,
  inputField: string,
  outputField: string,
  detailsField: string,
): TokenUsage | null {
  const input = count(usage[inputField]);
  if (input === null) return null;
  const details = isObject(usage[detailsField]) ? usage[detailsField] : {};
  const cacheRead = count(
    details.cached_tokens ??
      usage.prompt_cache_hit_tokens ??
      usage.cached_tokens ??
      usage.cache_read_input_tokens,
  );
  const cacheWrite = count(
    details.cache_write_tokens ??
      details.cache_creation_tokens ??
      details.cache_creation_input_tokens ??
      usage.cache_creation_input_tokens,
  );
  const writeDetails = isObject(details.cache_write_tokens_details) ? details.cache_write_tokens_details : {};
  return {
    input,
    cacheRead: cacheRead !== null && cacheRead > input ? null : cacheRead,
    cacheWrite,
    // The write count is "unadjusted" (openai 7.59 types) and can overlap the read at a relay: clamp, never below zero.
    uncached: cacheRead === null ? null : Math.max(0, input - cacheRead - (cacheWrite ?? 0)),
    output: count(usage[outputField]),
    longTtlWrite: count(writeDetails.ttl_12h_tokens),
  };
}

function readGoogle(usage: Fields): TokenUsage | null {
  const input = count(usage.promptTokenCount ?? usage.prompt_token_count);
  if (input === null) return null;
  // The API leaves out zeros, so an absent count beside a prompt count is zero (ai.google.dev caching page).
  const cacheRead = Math.min(
    input,
    count(usage.cachedContentTokenCount ?? usage.cached_content_token_count) ?? 0,
  );
  return {
    input,
    cacheRead,
    cacheWrite: null,
    uncached: input - cacheRead,
    output: count(usage.candidatesTokenCount ?? usage.candidates_token_count),
    longTtlWrite: null,
  };
}

/** Its prompt count holds what was cached; only newer servers say how much that was. */
function readOllama(usage: Fields): TokenUsage | null {
  const input = count(usage.prompt_eval_count);
  if (input === null) return null;
  const cached = count(usage.prompt_eval_cached_count);
  const cacheRead = cached !== null && cached > input ? null : cached;
  return {
    input,
    cacheRead,
    cacheWrite: null,
    uncached: cacheRead === null ? null : input - cacheRead,
    output: count(usage.eval_count),
    longTtlWrite: null,
  };
}

type Fields = Record<string, unknown>;
