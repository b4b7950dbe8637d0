/** Which processes made the calls, in the order in which they appeared: lineage names start anew in each. */
import { SPAN_CALL } from '../../../src/telemetry/semconv.ts';
import type { Answered, Asker, LineageNames } from './asker.ts';
import { spansOf } from './span-columns.ts';
import { numberOf, textOf } from './totals-row.ts';

/** Keeps the numbers that it gave: the viewer asks again while the oldest process falls out of its range. */
export class Processes implements LineageNames {
  readonly #numbers = new Map<string, number>();
  readonly #instances: string[] = [];

  nameOf(instance: string, lineage: string): string {
    const number = this.#numberOf(instance);
    return number === 1 ? lineage : `${number}·${lineage}`;
  }

  partsOf(name: string): { readonly instance: string; readonly lineage: string } {
    const [, number = '1', lineage = name] = /^(\d+)·(.*)$/s.exec(name) ?? [];
    return { instance: this.#instances[Number(number) - 1] ?? '', lineage };
  }

  async learn(asker: Asker): Promise<Answered> {
    const rows = await asker.ask(`SELECT Instance, min(Timestamp) AS FirstAt,
  countIf(SpanName = '${SPAN_CALL}' AND ParentKey != 0) AS Beneath
FROM ${spansOf('call', asker.hasView)}
GROUP BY Instance
ORDER BY FirstAt, Instance`);
    for (const row of rows) this.#numberOf(textOf(row.Instance));
    const hasInferences = rows.some((row) => numberOf(row.Beneath) > 0);
    return { ...asker, columns: { hasView: asker.hasView, hasInferences }, lineageNames: this };
  }

  #numberOf(instance: string): number {
    const known = this.#numbers.get(instance);
    if (known !== undefined) return known;
    this.#instances.push(instance);
    this.#numbers.set(instance, this.#instances.length);
    return this.#instances.length;
  }
}
