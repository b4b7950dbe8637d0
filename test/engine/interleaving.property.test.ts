/** Two conversations that take turns are told apart: each is diagnosed as if it were alone. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../src/diagnosis.ts';
import type { Api, Exchange } from '../../src/exchange.ts';
import { conversationArb, tagged, textArb, until } from './support/conversation.ts';
import { diagnosed } from './support/diagnosed.ts';
import { APIS, exchangeOf, render } from './support/render.ts';
import { usageOf } from './support/usage.ts';

/** The calls of one conversation: it grows, and at one of them its opening may be edited for good. */
const storyArb = fc.record({
  conversation: conversationArb({ minRounds: 3, maxRounds: 5 }),
  editedFrom: fc.option(fc.integer({ min: 2, max: 4 }), { nil: undefined }),
  edit: textArb,
});
type Story = typeof storyArb extends fc.Arbitrary<infer T> ? T : never;

function callsOf(
  api: Api,
  { conversation, editedFrom = Number.POSITIVE_INFINITY, edit }: Story,
  tag: string,
): Exchange[] {
  const own = tagged(conversation, tag);
  let cached = 0;
  return [1, 3, 5, 7].map((length, turn) => {
    const said = until(own, length);
    const [opening, ...rest] = said.messages;
    const changed = {
      role: 'user' as const,
      parts: [{ kind: 'text' as const, text: `${tag} ${edit} again` }],
    };
    const rendered = render(
      api,
      turn >= editedFrom && opening ? { ...said, messages: [changed, ...rest] } : said,
    );
    const input = Math.ceil(JSON.stringify(rendered.body).length / 4);
    const read = turn === editedFrom ? 0 : cached;
    cached = input;
    return exchangeOf(rendered, {
      response: {
        ending: 'completed',
        status: 200,
        usage: usageOf(api, { input, read: Math.min(read, input), written: 0 }),
      },
    });
  });
}

/** What does not depend on the order of calls, nor on rates that were learned from others. */
function answer({ divergence, miss, expected, outcome, finding, turn, tokens }: Diagnosis) {
  return { divergence, miss, expected, outcome, finding, turn, rebilled: tokens.rebilled };
}

describe.each(APIS)('%s', (api) => {
  for (const [scoping, scopes] of [
    ['without any scope', [{}, {}]],
    ['in declared threads', [{ thread: 'a' }, { thread: 'b' }]],
  ] as const) {
    it(`says of two interleaved conversations ${scoping} what it says of each alone`, async () => {
      await fc.assert(
        fc.asyncProperty(
          storyArb,
          storyArb,
          fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
          async (left, right, order) => {
            const stories = [callsOf(api, left, 'Anna:'), callsOf(api, right, 'Berta!')].map((calls, index) =>
              calls.map((call) => ({ ...call, scope: scopes[index] ?? {} })),
            );
            const apart = await Promise.all(stories.map((calls) => diagnosed(calls)));
            const waiting = stories.map((calls, index) => calls.map((call) => ({ call, index })));
            const mixed = [...order, ...order]
              .flatMap((isLeft) => waiting[isLeft ? 0 : 1]?.shift() ?? [])
              .concat(waiting.flat());
            const together = await diagnosed(mixed.map(({ call }) => call));
            for (const [index, alone] of apart.entries()) {
              const own = together.filter((_, at) => mixed[at]?.index === index);
              // A first call has nobody to be compared with when alone; together it must not find fault with the other.
              expect(own[0]).toMatchObject({ divergence: null, finding: false, turn: 1 });
              expect(own.slice(1).map(answer)).toEqual(alone.slice(1).map(answer));
              expect(new Set(own.map(({ lineage }) => lineage)).size).toBe(1);
            }
          },
        ),
        { numRuns: 50 },
      );
    });
  }
});
