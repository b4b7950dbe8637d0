/**
 * Which hours may be taken from the table of hours. It counts what arrived: a span that came twice is in it twice, and what
 * came before it was made is not in it. So an hour is taken from there where it counts as many calls as there are rows, and
 * is read row by row where it does not; so are the hours that the range cuts.
 */
import type { Asker } from './asker.ts';
import { spansOf } from './span-columns.ts';
import { hourOfSql, hoursSql } from './sums.ts';
import { numberOf } from './totals-row.ts';

const HOUR_MS = 3_600_000;

export interface HourTable {
  /** In order of time, as the rows have them. */
  readonly calls: readonly HourCalls[];
  /** Hours, as seconds, to be read row by row. */
  readonly rowHours: readonly string[];
}

interface HourCalls {
  readonly startMs: number;
  readonly calls: number;
}

export async function hasHourTable({ ask, hasView }: Asker): Promise<boolean> {
  if (!hasView) return false;
  const tables = await ask(
    'SELECT name FROM system.tables WHERE database = {database:String} AND name = {hours:String}',
  );
  return tables.length > 0;
}

export async function learnHours(asker: Asker): Promise<HourTable> {
  const { ask, hasView, sinceMs } = asker;
  const untilMs = asker.untilMs();
  const rows =
    await ask(`SELECT toUnixTimestamp(hour) AS seconds, sum(counted) AS added, sum(found) AS calls FROM (
  SELECT ${hourOfSql} AS hour, count() AS found, 0 AS counted FROM ${spansOf('call', hasView, { select: 'Timestamp' })} GROUP BY hour
  UNION ALL
  SELECT Hour AS hour, 0 AS found, sum(Calls) AS counted FROM ${hoursSql} GROUP BY hour)
GROUP BY hour ORDER BY hour`);
  const firstMs = startOf(sinceMs);
  const lastMs = startOf(untilMs);
  const rowHours = new Set(
    [firstMs, lastMs].filter((startMs) => startMs < sinceMs || startMs + HOUR_MS > untilMs),
  );
  const calls: HourCalls[] = [];
  for (const row of rows) {
    const startMs = numberOf(row.seconds) * 1_000;
    const found = numberOf(row.calls);
    if (numberOf(row.added) !== found) rowHours.add(startMs);
    calls.push({ startMs, calls: found });
  }
  return { calls, rowHours: [...rowHours].map(secondsText) };
}

function startOf(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS;
}

export function secondsText(ms: number): string {
  return String(ms / 1_000);
}
