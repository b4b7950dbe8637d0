/** The work of a start, cut into pieces for those who share an event loop. */
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/diagnose.ts';
import type { Diagnosis } from '../../src/diagnosis.ts';
import type { Exchange } from '../../src/exchange.ts';
import { undealt } from './support/dealt.ts';
import { body, messages } from './support/dialogue.ts';

const words = (count: number, about: string) => `${about} and its tests and its pages. `.repeat(count);
const said = Array.from({ length: 30 }, (_, index) => words(40, `Message ${index} of the engine`));

function exchangeOf(texts: readonly string[], fields = {}): Exchange {
  const text = JSON.stringify(body(messages(...texts), fields));
  return {
    api: 'anthropic.messages',
    body: text,
    scope: {},
    response: {
      ending: 'completed',
      status: 200,
      usage: {
        input_tokens: Math.round(text.length / 4),
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    },
  };
}

/** Growth, a change in the middle, another conversation, another prompt of the system, and nothing that can be read. */
const EXCHANGES: readonly Exchange[] = [
  exchangeOf(said.slice(0, 21)),
  exchangeOf(said.slice(0, 23)),
  exchangeOf(said.slice(0, 25).with(9, words(40, 'Something else'))),
  exchangeOf(said.slice(1, 8)),
  { api: 'anthropic.messages', body: '{"messages":', scope: {} },
  exchangeOf(said.slice(0, 27).with(9, words(40, 'Something else')), { system: 'Another one.' }),
];

describe('a call that is read in pieces', () => {
  it.each([0, 1, 2, 3, 4, 5, 20])(
    'is diagnosed as one that is read at once, when its response comes after %i',
    async (count) => {
      const engine = await createEngine();
      const diagnoses: Diagnosis[] = [];
      for (const exchange of EXCHANGES) {
        const call = engine.begin?.(exchange);
        for (let piece = 0; piece < count; piece += 1) call?.advance?.();
        const answer = call?.finish(exchange.response);
        if (answer && 'diagnosis' in answer) diagnoses.push(answer.diagnosis);
      }
      expect(diagnoses).toHaveLength(5);
      expect(diagnoses).toEqual(await undealt(EXCHANGES));
    },
  );

  it('leaves the place of a call that was given up halfway to others', async () => {
    const engine = await createEngine();
    for (const count of [0, 1, 2, 3, 9]) {
      const call = engine.begin?.(exchangeOf(said.slice(0, 3)));
      for (let piece = 0; piece < count; piece += 1) call?.advance?.();
      call?.abandon();
      expect(call?.advance?.()).toBe(false);
      expect(call?.finish(undefined)).toHaveProperty('unreadable');
    }
    const answer = engine.start(exchangeOf(said.slice(0, 5))).finish(undefined);
    expect(answer).toHaveProperty('diagnosis.baseline', null);
  });

  it('has more of them the longer it is', async () => {
    const engine = await createEngine();
    const piecesOf = (exchange: Exchange) => {
      const call = engine.begin?.(exchange);
      let pieces = 1;
      while (call?.advance?.()) pieces += 1;
      return pieces;
    };
    const megabytes = (count: number) =>
      exchangeOf([words(count * 30_000, 'A long file'), 'ok', ...Array(90).fill(words(count * 300, 'x'))]);
    expect(piecesOf(exchangeOf(said.slice(0, 3)))).toBe(4);
    expect(piecesOf(megabytes(1))).toBeGreaterThan(5);
    expect(piecesOf(megabytes(4))).toBeGreaterThan(piecesOf(megabytes(1)));
  });
});
