/** Which processes made the calls, in the order in which they appeared: lineage names start anew in each. */
import type { Answered, Asker, LineageNames } from './asker.ts';
import { hasHourTable, learnHours } from './hours.ts';
import { sumsSql } from './sums.ts';
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
    const table = (await hasHourTable(asker)) ? await learnHours(asker) : null;
    const ask: Asker['ask'] = (sql, params) =>
      asker.ask(sql, { ...(table && { rowHours: table.rowHours }), ...params });
    const { hasView } = asker;
    const plain = { hasView, hasInferences: false, hasHours: table !== null };
    const rows = await ask(`SELECT Instance, min(First) AS FirstAt, sum(Beneath) AS BeneathOthers
FROM ${sumsSql(plain)}
GROUP BY Instance
ORDER BY FirstAt, Instance`);
    for (const row of rows) this.#numberOf(textOf(row.Instance));
    const hasInferences = rows.some((row) => numberOf(row.BeneathOthers) > 0);
    // When a call began and what was asked then stands on other spans, which were not there when the hours were added up.
    const hours = hasInferences ? null : table;
    return {
      ...asker,
      ask,
      columns: { hasView, hasInferences, hasHours: hours !== null },
      hours,
      lineageNames: this,
    };
  }

  #numberOf(instance: string): number {
    const known = this.#numbers.get(instance);
    if (known !== undefined) return known;
    this.#instances.push(instance);
    this.#numbers.set(instance, this.#instances.length);
    return this.#instances.length;
  }
}
