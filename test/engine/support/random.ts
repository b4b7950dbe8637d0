/** Random choices that a seed repeats. */
import type { JsonObject } from '../../../src/exchange.ts';

export interface Random {
  /** From 0 to `below`, that one not included. */
  int(below: number): number;
  between(least: number, most: number): number;
  pick<T>(list: readonly T[]): T;
  /** About so many tokens of text, each time another. */
  text(tokens: number): string;
  object(): JsonObject;
}

const WORDS =
  'plan guest table seat menu wine price hotel ring band speech photo flower cake date list call note map train room key café Grüße naïve 席次 座席'.split(
    ' ',
  );

export function randomOf(seed: number): Random {
  let state = (seed * 2654435761) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const random: Random = {
    int: (below) => Math.floor(next() * below),
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (list) => list[Math.floor(next() * list.length)] as (typeof list)[number],
    text(tokens) {
      let text = `${random.pick(WORDS)} ${random.int(1_000_000)}`;
      while (text.length < tokens * 4) text += ` ${random.pick(WORDS)}${random.int(8) === 0 ? '.\n' : ''}`;
      return text;
    },
    object: () => ({ query: random.text(4), limit: random.int(50) }),
  };
  return random;
}
