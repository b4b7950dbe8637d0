/** One numbering over calls that several diagnosers have numbered, each from 0; and lineages whose names stay apart. */
import type { DiagnosedCall } from '../../src/diagnosis.ts';

export class Numbering {
  #count = 0;
  readonly #numbers = new Map<string, number>();

  number(diagnoser: 'exchange' | 'usage', call: DiagnosedCall): DiagnosedCall {
    const { diagnosis } = call;
    const index = this.#count;
    this.#count += 1;
    this.#numbers.set(`${diagnoser} ${diagnosis.index}`, index);
    const baseline = this.#numbers.get(`${diagnoser} ${diagnosis.baseline}`) ?? null;
    const lineage = diagnoser === 'usage' ? `session-${diagnosis.lineage}` : diagnosis.lineage;
    return { ...call, diagnosis: { ...diagnosis, index, baseline, lineage } };
  }
}
