/** Usage objects in each API's shape, plausible or not. */
import * as fc from 'fast-check';
import type { Api, JsonObject } from '../../../src/exchange.ts';

export interface Counts {
  /** All input tokens. */
  readonly input: number;
  readonly read: number;
  readonly written: number;
}

export function usageOf(api: Api, { input, read, written }: Counts): JsonObject {
  switch (api) {
    case 'anthropic.messages':
      return {
        input_tokens: input - read - written,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
        output_tokens: 7,
      };
    case 'openai.chat':
      return {
        prompt_tokens: input,
        prompt_tokens_details: { cached_tokens: read, cache_write_tokens: written },
        completion_tokens: 7,
      };
    case 'openai.responses':
      return {
        input_tokens: input,
        input_tokens_details: { cached_tokens: read, cache_write_tokens: written },
        output_tokens: 7,
      };
    case 'google.generateContent':
      return { promptTokenCount: input, cachedContentTokenCount: read, candidatesTokenCount: 7 };
    case 'bedrock.converse':
      return {
        inputTokens: input - read - written,
        cacheReadInputTokens: read,
        cacheWriteInputTokens: written,
        outputTokens: 7,
      };
  }
}

/** Counts that a provider could report. */
export const countsArb: fc.Arbitrary<Counts> = fc
  .tuple(fc.nat(200_000), fc.nat(200_000), fc.nat(200_000))
  .map(([read, written, rest]) => ({ input: read + written + rest, read, written }));

/** What no provider means to report: negative, contradictory, not a number, of the wrong type. */
const oddNumberArb = fc.oneof(
  fc.integer({ min: -1_000_000, max: 1_000_000 }),
  fc.double(),
  fc.constantFrom<unknown>(
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -0,
    1e308,
    null,
    undefined,
    '1200',
    [],
    {},
    true,
  ),
);

const FIELDS: Record<Api, readonly string[]> = {
  'anthropic.messages': [
    'input_tokens',
    'cache_read_input_tokens',
    'cache_creation_input_tokens',
    'output_tokens',
    'cache_creation',
  ],
  'openai.chat': [
    'prompt_tokens',
    'completion_tokens',
    'prompt_tokens_details',
    'prompt_cache_hit_tokens',
    'cached_tokens',
  ],
  'openai.responses': ['input_tokens', 'output_tokens', 'input_tokens_details'],
  'google.generateContent': ['promptTokenCount', 'cachedContentTokenCount', 'candidatesTokenCount'],
  'bedrock.converse': [
    'inputTokens',
    'outputTokens',
    'cacheReadInputTokens',
    'cacheWriteInputTokens',
    'cacheDetails',
  ],
};

const DETAIL_FIELDS = [
  'cached_tokens',
  'cache_write_tokens',
  'ephemeral_1h_input_tokens',
  'ttl',
  'inputTokens',
];

export function oddUsageArb(api: Api): fc.Arbitrary<unknown> {
  const details = fc.dictionary(fc.constantFrom(...DETAIL_FIELDS), oddNumberArb);
  const value = fc.oneof({ weight: 4, arbitrary: oddNumberArb }, { weight: 1, arbitrary: details });
  return fc.oneof(
    { weight: 6, arbitrary: fc.dictionary(fc.constantFrom(...FIELDS[api]), value) },
    { weight: 2, arbitrary: countsArb.map((counts) => usageOf(api, counts)) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(undefined, null, 'none', 12, [], [{}]) },
  );
}
