/**
 * What a model's reported input is over what we weigh it at, learned from each call with usage. Vocabularies differ from
 * vendor to vendor, and so does what is added to a prompt; most of that is one factor a model.
 *
 * Counts and lengths are two measures, and each has its factor.
 */
export type Measure = 'counts' | 'lengths';

interface Sums {
  reported: number;
  weighed: number;
}

/** Outside of this the report covers what the body does not show: server-side tools, a cached file. */
const MOST_FACTOR = 5;

/** Sums over calls, so that large prompts weigh more: in small ones the fixed overhead hides the factor. */
const KEPT_OF_EARLIER = 0.9;

const MOST_MODELS = 500;

export class Calibration {
  /** Owner: this calibration; the cap holds against ever new model names. */
  readonly #sums = new Map<string, Sums>();

  learn(model: string | null, measure: Measure, reported: number, weighed: number): void {
    if (!isPlausible(reported, weighed)) return;
    const key = `${measure} ${model ?? ''}`;
    const earlier = this.#sums.get(key) ?? { reported: 0, weighed: 0 };
    this.#sums.set(key, {
      reported: earlier.reported * KEPT_OF_EARLIER + reported,
      weighed: earlier.weighed * KEPT_OF_EARLIER + weighed,
    });
    if (this.#sums.size > MOST_MODELS) this.#sums.delete(this.#sums.keys().next().value as string);
  }

  sumsOf(model: string | null, measure: Measure): readonly [number, number] | null {
    const sums = this.#sums.get(`${measure} ${model ?? ''}`);
    return sums ? [sums.reported, sums.weighed] : null;
  }

  /** What another process has learned takes the place of what is known here. */
  adopt(model: string | null, measure: Measure, [reported, weighed]: readonly [number, number]): void {
    this.#sums.set(`${measure} ${model ?? ''}`, { reported, weighed });
  }

  factorOf(model: string | null, measure: Measure): number | null {
    const sums = this.#sums.get(`${measure} ${model ?? ''}`);
    return sums ? cautiousFactor(sums.reported, sums.weighed) : null;
  }
}

export function isPlausible(reported: number, weighed: number): boolean {
  return reported > 0 && weighed > 0 && reported < weighed * MOST_FACTOR && weighed < reported * MOST_FACTOR;
}

/** What short prompts show is mostly overhead, which does not grow: so many tokens draw the factor towards one. */
const UNCERTAIN_TOKENS = 500;

export function cautiousFactor(reported: number, weighed: number): number {
  return (reported + UNCERTAIN_TOKENS) / (weighed + UNCERTAIN_TOKENS);
}
