/** A change at a known place is found there: component, path and UTF-8 byte. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Conversation,
  conversationArb,
  firstDifferingByte,
  type Spot,
  spotsOf,
  textArb,
  textAt,
  until,
  withText,
} from './support/conversation.ts';
import { diagnosed } from './support/diagnosed.ts';
import { APIS, exchangeOf, render } from './support/render.ts';

/** An edit of one text: replaces so many graphemes at a place by others. */
const editArb = fc.record({ at: fc.nat(40), removed: fc.nat(3), inserted: textArb });
type Edit = typeof editArb extends fc.Arbitrary<infer T> ? T : never;

function edited(text: string, { at, removed, inserted }: Edit): string {
  const characters = [...text];
  const start = at % (characters.length + 1);
  return [...characters.slice(0, start), inserted, ...characters.slice(start + removed)].join('');
}

/** The older call: without the newest two messages, so that whatever changes has something new behind it. */
function olderOf(conversation: Conversation): Conversation {
  return until(conversation, conversation.messages.length - 2);
}

describe.each(APIS)('%s', (api) => {
  it('finds the first change at its component, its path and its byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        conversationArb({ minRounds: 3, maxRounds: 6 }),
        fc.nat(),
        editArb,
        async (conversation, pick, edit) => {
          const older = olderOf(conversation);
          const spots = spotsOf(older);
          const spot = spots[pick % spots.length] as Spot;
          const [before, after] = [textAt(conversation, spot), edited(textAt(conversation, spot), edit)];
          fc.pre(before !== after && after !== '');
          const rendered = render(api, withText(conversation, spot, after));
          const [, call] = await diagnosed([exchangeOf(render(api, older)), exchangeOf(rendered)]);
          const { component, path } = rendered.placeOf(spot);
          expect(call?.divergence).toMatchObject({
            component,
            leaf: path,
            byteOffset: firstDifferingByte(before, after),
          });
          // Some kinds name the block or the message that holds the leaf.
          expect(path.startsWith(call?.divergence?.path ?? 'nowhere')).toBe(true);
        },
      ),
      { numRuns: 120 },
    );
  });

  it('names the earliest of several changes and keeps the later components apart', async () => {
    await fc.assert(
      fc.asyncProperty(conversationArb({ minRounds: 3 }), editArb, async (conversation, edit) => {
        fc.pre(conversation.tools.length > 0 && conversation.system.length > 0);
        const spots: Spot[] = [{ tool: 0 }, { system: 0 }];
        fc.pre(
          spots.every((spot) => edited(textAt(conversation, spot), edit) !== textAt(conversation, spot)),
        );
        const changed = spots.reduce(
          (whole, spot) => withText(whole, spot, edited(textAt(whole, spot), edit)),
          conversation,
        );
        const [, call] = await diagnosed([
          exchangeOf(render(api, olderOf(conversation))),
          exchangeOf(render(api, changed)),
        ]);
        // Gemini's order is not documented; the engine reads the system instruction first there.
        const order = api === 'google.generateContent' ? ['system', 'tools'] : ['tools', 'system'];
        expect([
          call?.divergence?.component,
          ...(call?.divergence?.also ?? []).map(({ component }) => component),
        ]).toEqual(order);
      }),
    );
  });
});
