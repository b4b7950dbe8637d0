/** One numbering over calls that the joiner and the engine have numbered, each from 0. A call keeps its number by its id. */
import type { ReportedCall } from '../../summary/reported-call.ts';

type Numberer = 'joiner' | 'engine';

export class OwnNumbers {
  readonly #ids = new Map<string, string>();
  readonly #numbers = new Map<string, number>();

  numbered(numberer: Numberer, calls: readonly ReportedCall[]): ReportedCall[] {
    // All of them first: a call may name one that stands behind it.
    for (const { index, id } of calls) this.#ids.set(`${numberer} ${index}`, id);
    return calls.map((call) => {
      const baselineId = this.#ids.get(`${numberer} ${call.baseline}`);
      return {
        ...call,
        index: this.#numberOf(call.id),
        baseline: baselineId === undefined ? null : this.#numberOf(baselineId),
      };
    });
  }

  #numberOf(id: string): number {
    const number = this.#numbers.get(id) ?? this.#numbers.size;
    this.#numbers.set(id, number);
    return number;
  }
}
