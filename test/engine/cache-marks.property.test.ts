/** A cache mark is not content: wherever it stands or moves to, the prompt is the same. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Api, JsonObject, JsonValue } from '../../src/exchange.ts';
import { conversationArb, until } from './support/conversation.ts';
import { diagnosed } from './support/diagnosed.ts';
import { exchangeOf, type Rendered, render } from './support/render.ts';

/** Which blocks of a body carry a mark: each number picks one, counted round. */
const markArb = fc.array(fc.nat(30), { maxLength: 4 });
type Marks = readonly number[];

function objects(value: JsonValue | undefined): JsonObject[] {
  return (Array.isArray(value) ? value : []).filter(
    (item): item is JsonObject => typeof item === 'object' && item !== null && !Array.isArray(item),
  );
}

/** A copy of `body` in which `mark` was put on the picked ones of the lists that may carry marks. */
function marked(
  body: JsonObject,
  marks: Marks,
  listsOf: (copy: JsonObject) => JsonObject[][],
  mark: (list: JsonObject[], at: number) => void,
): JsonObject {
  const copy = structuredClone(body);
  const lists = listsOf(copy);
  const places = lists.flatMap((list) => list.map((_, at) => ({ list, at })));
  const picked = new Set(places.length === 0 ? [] : marks.map((number) => number % places.length));
  // From the back, since a mark that is an element of its own moves what stands behind it.
  for (const index of [...picked].sort((a, b) => b - a)) {
    const place = places[index];
    if (place) mark(place.list, place.at);
  }
  return copy;
}

const field = (name: string, value: JsonObject) => (list: JsonObject[], at: number) => {
  Object.assign(list[at] as object, { [name]: value });
};
const element = (list: JsonObject[], at: number) => {
  list.splice(at + 1, 0, { cachePoint: { type: 'default' } });
};

const MARKERS: readonly [Api, (body: JsonObject, marks: Marks) => JsonObject][] = [
  [
    'anthropic.messages',
    (body, marks) =>
      marked(
        body,
        marks,
        (copy) =>
          [copy.tools, copy.system, ...objects(copy.messages).map(({ content }) => content)].map((list) =>
            objects(list),
          ),
        field('cache_control', { type: 'ephemeral' }),
      ),
  ],
  [
    'openai.chat',
    (body, marks) =>
      marked(
        body,
        marks,
        (copy) => objects(copy.messages).map(({ content }) => objects(content)),
        field('prompt_cache_breakpoint', { mode: 'explicit' }),
      ),
  ],
  [
    'openai.responses',
    (body, marks) =>
      marked(
        body,
        marks,
        (copy) => objects(copy.input).map(({ role, content }) => (role === 'user' ? objects(content) : [])),
        field('prompt_cache_breakpoint', { mode: 'explicit', ttl: '30m' }),
      ),
  ],
  [
    'bedrock.converse',
    (body, marks) =>
      marked(
        body,
        marks,
        (copy) =>
          [
            (copy.toolConfig as JsonObject | undefined)?.tools,
            copy.system,
            ...objects(copy.messages).map(({ content }) => content),
          ].map((list) => (Array.isArray(list) ? (list as unknown as JsonObject[]) : [])),
        element,
      ),
  ],
];

describe.each(MARKERS)('%s', (api, mark) => {
  it('finds no change of content where only cache marks came, went or moved', async () => {
    await fc.assert(
      fc.asyncProperty(
        conversationArb(),
        fc.array(markArb, { minLength: 2, maxLength: 5 }),
        async (conversation, moves) => {
          const calls = moves.map((marks, index) => {
            const rendered: Rendered = render(api, until(conversation, index + 1));
            return exchangeOf({ ...rendered, body: mark(rendered.body, marks) });
          });
          for (const { divergence } of await diagnosed(calls)) expect(divergence).toBeNull();
        },
      ),
    );
  });

  it('finds a change of content at the same component and leaf, however the marks stand', async () => {
    await fc.assert(
      fc.asyncProperty(
        conversationArb({ minRounds: 2 }),
        markArb,
        markArb,
        async (conversation, before, after) => {
          fc.pre(conversation.system.length > 0);
          const changed = {
            ...conversation,
            system: conversation.system.map((text, index) => (index === 0 ? `${text} and more` : text)),
          };
          const bodies = [render(api, until(conversation, 2)), render(api, changed)];
          const withMarks = [before, after].map((marks, index) => ({
            ...(bodies[index] as Rendered),
            body: mark(bodies[index]?.body ?? {}, marks),
          }));
          const [, plain] = await diagnosed(bodies.map((body) => exchangeOf(body)));
          const [, call] = await diagnosed(withMarks.map((body) => exchangeOf(body)));
          expect(call?.divergence).toMatchObject({
            component: 'system',
            kind: plain?.divergence?.kind,
            byteOffset: plain?.divergence?.byteOffset,
          });
        },
      ),
    );
  });
});

describe('automatic caching', () => {
  it('is not content either: it may be switched on and off', async () => {
    await fc.assert(
      fc.asyncProperty(
        conversationArb(),
        fc.array(fc.boolean(), { minLength: 2 }),
        async (conversation, switches) => {
          const { body, ...rest } = render('anthropic.messages', conversation);
          const calls = switches.map((isOn) =>
            exchangeOf({ ...rest, body: isOn ? { ...body, cache_control: { type: 'ephemeral' } } : body }),
          );
          for (const { divergence } of await diagnosed(calls)) expect(divergence).toBeNull();
        },
      ),
    );
  });
});
