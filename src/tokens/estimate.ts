/**
 * Tokens of a prompt's parts where only a total is known, reported or estimated. The shape comes from the weights of the
 * segments (counts, or text lengths), the scale from the total and from the rate at which earlier calls of the model grew.
 */
import type { TokenMethod } from '../diagnosis.ts';
import type { Fingerprint } from '../fingerprint/fingerprint.ts';
import type { Weights } from './weights.ts';

export interface Total {
  readonly tokens: number;
  readonly method: TokenMethod;
}

export class TokenScale {
  /** Where the total comes from. */
  readonly method: TokenMethod;
  readonly weights: Weights;
  readonly #cumulative: Float64Array;

  /** `messageRate`: measured tokens per character of messages, where it is known. */
  constructor(fingerprint: Fingerprint, weights: Weights, total: Total, messageRate: number | null = null) {
    const { lengths, headLength } = fingerprint;
    const size = lengths.length;
    const factors = factorsOf({
      head: sum(weights.tokens, 0, headLength),
      messages: sum(weights.tokens, headLength, size),
      measuredMessages: messageRate === null ? null : sum(lengths, headLength, size) * messageRate,
      total: total.tokens,
    });
    this.method = total.method;
    this.weights = weights;
    this.#cumulative = new Float64Array(size + 1);
    for (let index = 0; index < size; index += 1) {
      const factor = index < headLength ? factors.head : factors.messages;
      this.#cumulative[index + 1] =
        (this.#cumulative[index] as number) + (weights.tokens[index] as number) * factor;
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

function sum(values: Float64Array | Uint32Array, from: number, to: number): number {
  let total = 0;
  for (let index = from; index < to; index += 1) total += values[index] as number;
  return total;
}

interface Parts {
  readonly head: number;
  readonly messages: number;
  /** Tokens of all messages at the measured rate. */
  readonly measuredMessages: number | null;
  readonly total: number;
}

/** Tools and system are denser or thinner than talk: with a measured rate for the talk, the head takes what remains. */
function factorsOf({ head, messages, measuredMessages, total }: Parts): { head: number; messages: number } {
  if (head + messages === 0) return { head: 1, messages: 1 };
  const even = total / (head + messages);
  if (measuredMessages === null || head === 0 || messages === 0) return { head: even, messages: even };
  const headFactor = (total - measuredMessages) / head;
  // A rate that leaves the head with nothing, or with thrice its share, was measured on something else.
  if (headFactor < even / 3 || headFactor > even * 3) return { head: even, messages: even };
  return { head: headFactor, messages: measuredMessages / messages };
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

  sumsOf(model: string | null): readonly [number, number] | null {
    const known = this.#byModel.get(model ?? '');
    return known ? [known.tokens, known.characters] : null;
  }

  /** What another process has learned takes the place of what is known here. */
  adopt(model: string | null, [tokens, characters]: readonly [number, number]): void {
    this.#byModel.set(model ?? '', { tokens, characters });
  }

  of(model: string | null): number | null {
    const known = this.#byModel.get(model ?? '');
    return known && known.characters >= ENOUGH_CHARACTERS ? known.tokens / known.characters : null;
  }
}

const MOST_MODELS = 500;
/** Fewer are too few to tell a rate from chance. */
const ENOUGH_CHARACTERS = 2_000;
