/** Growth at the tail is not a divergence, whatever is appended and to whichever API it is sent. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationArb, until } from './support/conversation.ts';
import { diagnosed } from './support/diagnosed.ts';
import { APIS, exchangeOf, render } from './support/render.ts';

describe.each(APIS)('%s', (api) => {
  it('finds nothing in a conversation that only grows, and follows it call by call', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(conversationArb({ maxRounds: 6 }), cuts, async (conversation, lengths) => {
        const calls = lengths
          .sort((a, b) => a - b)
          .map((length) => exchangeOf(render(api, until(conversation, length))));
        const diagnoses = await diagnosed(calls);
        expect(diagnoses.map(({ divergence, miss, finding }) => ({ divergence, miss, finding }))).toEqual(
          calls.map(() => ({ divergence: null, miss: null, finding: false })),
        );
        expect(diagnoses.map(({ lineage, turn, baseline }) => ({ lineage, turn, baseline }))).toEqual(
          calls.map((_, index) => ({
            lineage: 'l1',
            turn: index + 1,
            baseline: index === 0 ? null : index - 1,
          })),
        );
      }),
    );
  });

  it('finds no difference between a call and itself', async () => {
    await fc.assert(
      fc.asyncProperty(conversationArb(), async (conversation) => {
        const [, second] = await diagnosed([0, 1].map(() => exchangeOf(render(api, conversation))));
        expect(second).toMatchObject({ divergence: null, miss: null, finding: false, baseline: 0, turn: 2 });
      }),
    );
  });

  it('says the same of a body as JSON text and of its parsed value', async () => {
    await fc.assert(
      fc.asyncProperty(conversationArb({ minRounds: 2 }), conversationArb(), async (before, after) => {
        const bodies = [before, until(before, 2), after, before].map((conversation) =>
          render(api, conversation),
        );
        const parsed = await diagnosed(bodies.map((body) => exchangeOf(body)));
        const texts = bodies.map((body) => exchangeOf(body, { body: JSON.stringify(body.body) }));
        expect(await diagnosed(texts)).toEqual(parsed);
      }),
    );
  });
});
