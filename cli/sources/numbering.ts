/** One numbering over calls that several readers have numbered, each from 0; and lineages whose names stay apart. */

interface Numbered {
  readonly index: number;
  readonly baseline: number | null;
  readonly lineage: string;
}

export class Numbering {
  #count = 0;
  /** By reader: our number at the place of its own. Its numbers are dense, and a log may hold millions of calls. */
  readonly #numbers = new Map<string, number[]>();

  /** `reader`: in whose numbers the call speaks. A call that comes again keeps its number. */
  number<T extends Numbered>(reader: string, call: T, lineagePrefix = ''): T {
    const numbers = this.#numbers.get(reader) ?? [];
    this.#numbers.set(reader, numbers);
    const index = numbers[call.index] ?? this.#count++;
    numbers[call.index] = index;
    const baseline = call.baseline === null ? null : (numbers[call.baseline] ?? null);
    return { ...call, index, baseline, lineage: `${lineagePrefix}${call.lineage}` };
  }
}
