/**
 * Tokens of a prompt's parts where the response gives only totals. The shape comes from text lengths, the scale from
 * the usage of the same call; without usage the scale is a rough four characters a token, and is called an estimate.
 */
import type { Fingerprint } from '../fingerprint/fingerprint.ts';

const CHARACTERS_PER_TOKEN = 4;

export class TokenScale {
  readonly #cumulative: Float64Array;
  readonly #scale: number;
  readonly isCalibrated: boolean;

  constructor(fingerprint: Fingerprint, inputTokens: number | null) {
    const size = fingerprint.lengths.length;
    this.#cumulative = new Float64Array(size + 1);
    for (let index = 0; index < size; index += 1) {
      this.#cumulative[index + 1] = (this.#cumulative[index] as number) + (fingerprint.lengths[index] as number) / CHARACTERS_PER_TOKEN;
    }
    const estimated = this.#cumulative[size] as number;
    this.isCalibrated = inputTokens !== null && estimated > 0;
    this.#scale = inputTokens !== null && estimated > 0 ? inputTokens / estimated : 1;
  }

  /** Tokens of the first `segments` segments. */
  before(segments: number): number {
    const index = Math.max(0, Math.min(segments, this.#cumulative.length - 1));
    return Math.round((this.#cumulative[index] as number) * this.#scale);
  }

  between(from: number, to: number): number {
    return Math.max(0, this.before(to) - this.before(from));
  }

  get total(): number {
    return this.before(this.#cumulative.length - 1);
  }
}
