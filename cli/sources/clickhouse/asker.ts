/** One server, one table, one range of time: what every question shares. */
import type { CallColumns } from './call-columns.ts';
import type { HourTable } from './hours.ts';
import type { QueryParams, Row, RunQuery } from './run-query.ts';
import type { TimeRange } from './time-range.ts';

export interface SpanTable {
  readonly database: string;
  readonly table: string;
  readonly view: string | null;
}

export interface Asker {
  readonly hasView: boolean;
  readonly sinceMs: number;
  untilMs(): number;
  ask(sql: string, params?: QueryParams): Promise<readonly Row[]>;
}

/** What is known of the calls before the first sum is asked for. */
export interface Answered extends Asker {
  readonly columns: CallColumns & { readonly hasHours: boolean };
  readonly hours: HourTable | null;
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
  // A clock that runs ahead must not hide the newest calls.
  const end = () => untilMs ?? now() + CLOCK_DIFFERENCE_MS;
  return {
    hasView: view !== null,
    sinceMs,
    untilMs: end,
    ask: (sql, params = {}) =>
      run(sql, {
        ...params,
        database,
        ...(view === null ? { table } : { view, hours: hoursTableOf(view) }),
        sinceMs,
        untilMs: end(),
      }),
  };
}

/** By its name it is found, so that an address names one thing. */
export const hoursTableOf = (view: string) => `${view}_hourly`;

const CLOCK_DIFFERENCE_MS = 60_000;
