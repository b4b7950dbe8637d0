/**
 * Prices that the bundled table lacks or gets wrong, USD per million tokens, collected 2026-12-01 from vendor pages and,
 * where marked, from third parties that quote them. Newest first within a model: the first entry that was in force counts.
 */
import type { Price } from './price.ts';

/** The content of `@pydantic/genai-prices` 0.1.8 stops at about this day. */
export const PRICE_TABLE_DATE = '2026-09-28';

interface NewerPrice {
  readonly model: RegExp;
  readonly from: string;
  readonly price: (inputTokens: number) => Price;
}

/** Anthropic: writes at 1.25 and 2 times the input price (platform.claude.com, Sep 2026). */
function anthropic(input: number, cacheRead: number, output: number): Price {
  return { input, cacheRead, cacheWrite: input * 1.25, longTtlWrite: input * 2, output };
}

/** OpenAI from 5.6 on: writes at 1.25 and 2.5 times; above 272,000 input tokens the whole request costs double, output 1.5 times. */
function openai(input: number, cacheRead: number, output: number): (inputTokens: number) => Price {
  return (inputTokens) => {
    const factor = inputTokens > 272_000 ? 2 : 1;
    return {
      input: input * factor,
      cacheRead: cacheRead * factor,
      cacheWrite: input * 1.25 * factor,
      longTtlWrite: input * 2.5 * factor,
      output: output * (factor === 2 ? 1.5 : 1),
    };
  };
}

function implicit(input: number, cacheRead: number, output: number): Price {
  return { input, cacheRead, cacheWrite: null, longTtlWrite: null, output };
}

export const NEWER_PRICES: readonly NewerPrice[] = [
  // Release notes of two cost tools that quote the vendor.
  { model: /^claude-sonnet-5-5/, from: '2026-10-07', price: () => anthropic(2, 0.1, 10) },
  { model: /^claude-sonnet-5-5/, from: '2026-09-28', price: () => anthropic(2, 0.2, 10) },
  {
    model: /^claude-haiku-5-5/,
    from: '2026-10-07',
    price: (inputTokens) => (inputTokens > 100_000 ? anthropic(0.5, 0.05, 2.5) : anthropic(0.1, 0.01, 0.5)),
  },
  // Blogs that quote the vendor's page.
  { model: /^gpt-6\.1-sol/, from: '2026-09-29', price: openai(2, 0.1, 10) },
  { model: /^gpt-6\.1-terra/, from: '2026-10-26', price: openai(1, 0.05, 5) },
  // ai.google.dev/gemini-api/docs/pricing, Oct 2026.
  { model: /^gemini-4-argon/, from: '2026-12-01', price: () => implicit(4, 0.2, 20) },
  { model: /^gemini-4-argon/, from: '2026-01-01', price: () => implicit(2, 0.1, 10) },
  // docs.x.ai, autumn 2026: from 200,000 tokens on the whole request doubles.
  {
    model: /^grok-4\.7/,
    from: '2026-09-01',
    price: (inputTokens) => (inputTokens >= 200_000 ? implicit(4, 1, 12) : implicit(2, 0.5, 6)),
  },
];
