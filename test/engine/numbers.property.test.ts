/** Token and cost figures hold together, whatever the usage says. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../src/diagnosis.ts';
import { conversationArb, until } from './support/conversation.ts';
import { diagnosed } from './support/diagnosed.ts';
import { APIS, exchangeOf, render } from './support/render.ts';
import { countsArb, oddUsageArb, usageOf } from './support/usage.ts';

const stepArb = fc.record({
  length: fc.integer({ min: 1, max: 9 }),
  isEdited: fc.boolean(),
  afterMs: fc.nat(7_200_000),
});

function expectSoundNumbers({ tokens, cost }: Diagnosis): void {
  const counts = [
    tokens.input,
    tokens.cacheRead,
    tokens.cacheWrite,
    tokens.uncached,
    tokens.expectedRead,
    tokens.shared,
    tokens.behind,
    tokens.rebilled,
  ];
  for (const count of counts) {
    if (count === null) continue;
    expect(Number.isFinite(count)).toBe(true);
    expect(count).toBeGreaterThanOrEqual(0);
  }
  expect(tokens.rebilled ?? 0).toBeLessThanOrEqual(tokens.input);
  expect(tokens.cacheRead ?? 0).toBeLessThanOrEqual(tokens.input);
  expect(tokens.shared + tokens.behind).toBeLessThanOrEqual(tokens.input);
  for (const usd of [cost?.usd, cost?.rebilledUsd]) {
    if (usd === undefined || usd === null) continue;
    expect(Number.isFinite(usd)).toBe(true);
    expect(usd).toBeGreaterThanOrEqual(0);
  }
  if (cost?.usd != null && cost.rebilledUsd != null)
    expect(cost.rebilledUsd).toBeLessThanOrEqual(cost.usd + 1e-9);
}

describe.each(APIS)('%s', (api) => {
  const playedWith = <T>(usageArb: fc.Arbitrary<T>, usage: (value: T) => unknown) =>
    fc.asyncProperty(
      conversationArb(),
      fc.array(fc.tuple(stepArb, usageArb), { minLength: 1, maxLength: 5 }),
      async (conversation, steps) => {
        let atMs = Date.UTC(2026, 10, 30);
        const calls = steps.map(([{ length, isEdited, afterMs }, value]) => {
          atMs += afterMs;
          const said = until(conversation, length);
          const edited = isEdited ? { ...said, system: ['Another system prompt.', ...said.system] } : said;
          return exchangeOf(render(api, edited), {
            atMs,
            response: { ending: 'completed', status: 200, usage: usage(value) },
          });
        });
        const diagnoses = await diagnosed(calls);
        expect(diagnoses).toHaveLength(calls.length);
        for (const diagnosis of diagnoses) expectSoundNumbers(diagnosis);
      },
    );

  it('are never negative and never more than the input, with plausible usage', async () => {
    await fc.assert(playedWith(countsArb, (counts) => usageOf(api, counts)));
  });

  it('are never negative and never more than the input, with usage that contradicts itself', async () => {
    await fc.assert(playedWith(oddUsageArb(api), (usage) => usage));
  });
});

it.each(['__proto__', 'constructor', 'toString'])(
  'a model called %s, like a property of every object, has no price',
  async (model) => {
    const body = { model, messages: [{ role: 'user', content: 'Hi' }] };
    const usage = usageOf('openai.chat', { input: 2_000, read: 0, written: 0 });
    const [call] = await diagnosed([
      { api: 'openai.chat', body, scope: {}, response: { ending: 'completed', usage } },
    ]);
    expect(call?.cost).toBeNull();
  },
);
