/**
 * Tells when several spans are one call: a client's own span and an instrumentation's around it, ours below either. They
 * come in different batches, mostly the inner ones first.
 */
import { RecentMap } from '../../../src/telemetry/recent-map.ts';

/**
 * `drawn`: it carries our diagnosis. `diagnosed`: it was diagnosed here. `bare`: it holds no prompt. `told`: another span
 * tells of its call.
 */
export type Sight = 'drawn' | 'diagnosed' | 'bare' | 'told';

/** The spans of one call come within seconds of one another. */
const MAX_HELD = 20_000;

export class Sightings {
  readonly #sights = new RecentMap<string, Sight>(MAX_HELD);
  readonly #children = new RecentMap<string, string[]>(MAX_HELD);

  of(key: string): Sight | undefined {
    return this.#sights.get(key);
  }

  add(key: string, parentKey: string | undefined, sight: Sight): void {
    const isNew = this.of(key) === undefined;
    this.#sights.set(key, sight);
    if (isNew && parentKey !== undefined)
      this.#children.set(parentKey, [...(this.#children.get(parentKey) ?? []), key]);
  }

  /** The spans directly above and below that were seen as this. */
  relatives(key: string, parentKey: string | undefined, sight: Sight): string[] {
    const keys = [...(parentKey === undefined ? [] : [parentKey]), ...(this.#children.get(key) ?? [])];
    return keys.filter((relative) => this.of(relative) === sight);
  }
}
