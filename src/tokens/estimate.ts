/**
 * Tokens of a prompt's parts where the response gives only totals. The shape comes from text lengths, the scale from
 * usage: the total of the same call, and the rate at which earlier calls of the model grew. Without usage the scale is a
 * rough four characters a token, and is called an estimate.
 */
import type { Fingerprint } from '../fingerprint/fingerprint.ts';

const CHARACTERS_PER_TOKEN = 4;

export class TokenScale {
  readonly #cumulative: Float64Array;

  /** `messageRate`: measured tokens per character of messages, where it is known. */
  constructor(fingerprint: Fingerprint, inputTokens: number | null, messageRate: number | null = null) {
    const { lengths, headLength } = fingerprint;
    const size = lengths.length;
    const headCharacters = sum(lengths, 0, headLength);
    const messageCharacters = sum(lengths, headLength, size);
    const { head, messages } = ratesOf(headCharacters, messageCharacters, inputTokens, messageRate);
    this.#cumulative = new Float64Array(size + 1);
    for (let index = 0; index < size; index += 1) {
      const rate = index < headLength ? head : messages;
      this.#cumulative[index + 1] = (this.#cumulative[index] as number) + (lengths[index] as number) * rate;
    }
  }

  /** Tokens of the first `segments` segments. */
  before(segments: number): number {
    const index = Math.max(0, Math.min(segments, this.#cumulative.length - 1));
    return Math.round(this.#cumulative[index] as number);
  }

  between(from: number, to: number): number {
    return Math.max(0, this.before(to) - this.before(from));
  }

  get total(): number {
    return this.before(this.#cumulative.length - 1);
  }
}

function sum(lengths: Uint32Array, from: number, to: number): number {
  let total = 0;
  for (let index = from; index < to; index += 1) total += lengths[index] as number;
  return total;
}

/** Tools and system are denser or thinner than talk: with a measured rate for the talk, the head takes what remains. */
function ratesOf(
  head: number,
  messages: number,
  inputTokens: number | null,
  messageRate: number | null,
): { head: number; messages: number } {
  const rough = 1 / CHARACTERS_PER_TOKEN;
  if (inputTokens === null || head + messages === 0) return { head: rough, messages: rough };
  const even = inputTokens / (head + messages);
  if (messageRate === null || head === 0) return { head: even, messages: even };
  const headRate = (inputTokens - messages * messageRate) / head;
  // A rate that leaves the head with nothing, or with thrice its share, was measured on something else.
  if (headRate < even / 3 || headRate > even * 3) return { head: even, messages: even };
  return { head: headRate, messages: messageRate };
}

/**
 * Tokens per character of messages, by model, from calls that only grew: what was added, against what the total rose by.
 * Owner of the map; the cap holds against ever new model names.
 */
export class GrowthRates {
  readonly #byModel = new Map<string, { tokens: number; characters: number }>();

  learn(model: string | null, tokens: number, characters: number): void {
    if (tokens <= 0 || characters < 40) return;
    const key = model ?? '';
    const known = this.#byModel.get(key) ?? { tokens: 0, characters: 0 };
    this.#byModel.set(key, { tokens: known.tokens + tokens, characters: known.characters + characters });
    if (this.#byModel.size > MOST_MODELS) this.#byModel.delete(this.#byModel.keys().next().value as string);
  }

  of(model: string | null): number | null {
    const known = this.#byModel.get(model ?? '');
    return known && known.characters >= ENOUGH_CHARACTERS ? known.tokens / known.characters : null;
  }
}

const MOST_MODELS = 500;
/** Fewer are too few to tell a rate from chance. */
const ENOUGH_CHARACTERS = 2_000;
