/** One server, one table, one range of time: what every question shares. */
import type { CallColumns } from './call-columns.ts';
import type { QueryParams, Row, RunQuery } from './run-query.ts';
import type { TimeRange } from './time-range.ts';

export interface SpanTable {
  readonly database: string;
  readonly table: string;
  readonly view: string | null;
}

export interface Asker {
  readonly hasView: boolean;
  ask(sql: string, params?: QueryParams): Promise<readonly Row[]>;
}

/** What is known of the calls before the first sum is asked for. */
export interface Answered extends Asker {
  readonly columns: CallColumns;
  readonly lineageNames: LineageNames;
}

export interface LineageNames {
  /** `l1` of the first process, `2·l1` of the second: names start anew in each. */
  nameOf(instance: string, lineage: string): string;
  partsOf(name: string): { readonly instance: string; readonly lineage: string };
}

export function createAsker(
  run: RunQuery,
  { database, table, view }: SpanTable,
  { sinceMs, untilMs }: TimeRange,
  now: () => number = Date.now,
): Asker {
  return {
    hasView: view !== null,
    ask: (sql, params = {}) =>
      run(sql, {
        ...params,
        database,
        ...(view === null ? { table } : { view }),
        sinceMs,
        // A clock that runs ahead must not hide the newest calls.
        untilMs: untilMs ?? now() + CLOCK_DIFFERENCE_MS,
      }),
  };
}

const CLOCK_DIFFERENCE_MS = 60_000;
