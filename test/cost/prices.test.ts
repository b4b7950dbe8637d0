import { describe, expect, it } from 'vitest';
import { costOf, loadPrices, rebilledCost } from '../../src/cost/prices.ts';

const prices = await loadPrices();
const DECEMBER_MS = Date.parse('2026-12-02T00:00:00Z');

describe('prices', () => {
  it.each([
    ['claude-sonnet-4-20250514', 'claude-sonnet-4-0', 3],
    ['claude-3-5-haiku-20241022', 'claude-3-5-haiku-latest', 0.8],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5', 3],
    ['anthropic/claude-sonnet-4.6', 'claude-sonnet-4-6', 3],
    ['gpt-4o-2024-08-06', 'gpt-4o', 2.5],
    ['gpt-5.6', 'gpt-5.6-sol', 4],
  ])('finds %s as %s', (asked, model, input) => {
    expect(prices.find(asked, 1_000, DECEMBER_MS)).toMatchObject({ model, price: { input } });
  });

  it.each(['claude-fable-5-2', 'gpt-6.2-sol', 'claude-sonnet-4-7', 'no-such-model', '__proto__'])(
    'says nothing rather than the price of a model that is named like %s',
    (asked) => expect(prices.find(asked, 1_000, DECEMBER_MS)).toBeNull(),
  );

  it('takes the price of the day', () => {
    const onDay = (day: string) => prices.find('claude-sonnet-5-5', 1_000, Date.parse(day))?.price.cacheRead;
    expect([onDay('2026-10-01'), onDay('2026-10-08')]).toEqual([0.2, 0.1]);
  });

  it('takes the tier of the whole request', () => {
    const input = (tokens: number) => prices.find('gpt-6.1-sol', tokens, DECEMBER_MS)?.price.input;
    expect([input(272_000), input(272_001)]).toEqual([2, 4]);
  });

  it('lets an application say its own', async () => {
    const own = { input: 1, cacheRead: 0.1, cacheWrite: null, longTtlWrite: null, output: 2 };
    const withOwn = await loadPrices({ 'house-model': own });
    expect(withOwn.find('house-model', 1_000, null)).toEqual({
      price: own,
      model: 'house-model',
      date: 'override',
    });
  });
});

describe('cost', () => {
  const price = { input: 2, cacheRead: 0.2, cacheWrite: 2.5, longTtlWrite: 4, output: 10 };
  const usage = {
    input: 10_000,
    cacheRead: 6_000,
    cacheWrite: 3_000,
    uncached: 1_000,
    output: 100,
    longTtlWrite: 1_000,
  };

  it('adds reads, both writes, the rest and the output, each at its price', () => {
    expect(costOf(usage, price)).toBeCloseTo(
      (6_000 * 0.2 + 2_000 * 2.5 + 1_000 * 4 + 1_000 * 2 + 100 * 10) / 1e6,
      12,
    );
  });

  it('counts what was billed again at the price that was charged, less that of a read', () => {
    const short = { ...usage, longTtlWrite: 0 };
    expect(rebilledCost(2_000, short, price)).toBeCloseTo((2_000 * (2.5 - 0.2)) / 1e6, 12);
    expect(rebilledCost(4_000, short, price)).toBeCloseTo((3_000 * 2.5 + 1_000 * 2 - 4_000 * 0.2) / 1e6, 12);
  });

  it('counts writes of two lifetimes in proportion', () => {
    expect(rebilledCost(1_500, usage, price)).toBeCloseTo(
      (1_500 * ((1 / 3) * 4 + (2 / 3) * 2.5 - 0.2)) / 1e6,
      12,
    );
  });

  it('is unknown where the cached share is', () => {
    const silent = { ...usage, cacheRead: null, cacheWrite: null, uncached: null };
    expect(costOf(silent, price)).toBeNull();
  });
});
