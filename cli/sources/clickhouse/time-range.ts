/** `--since` and `--until`: which calls are asked for. There is always a range, so that no query goes through a whole table. */
import { UserError } from '../../errors.ts';

export interface TimeRange {
  /** Calls that began at this moment or later … */
  readonly sinceMs: number;
  /** … and before this one; `null`: until now, whenever it is asked. */
  readonly untilMs: number | null;
}

const DEFAULT_SINCE = '24h';

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

export function parseTimeRange(
  since: string | undefined,
  until: string | undefined,
  nowMs: number,
): TimeRange {
  const untilMs = until === undefined ? null : momentOf('--until', until, nowMs);
  // Of a range that ends in the past, the last day of it.
  const sinceMs =
    since === undefined
      ? momentOf('--since', DEFAULT_SINCE, untilMs ?? nowMs)
      : momentOf('--since', since, nowMs);
  if (sinceMs >= (untilMs ?? nowMs)) throw new UserError('--since must lie before --until');
  return { sinceMs, untilMs };
}

/** `24h` ago, or a date with or without a time. */
function momentOf(option: string, text: string, nowMs: number): number {
  const [, count, unit = ''] = /^(\d+)([smhdw])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  if (count !== undefined && unitMs !== undefined) return nowMs - Number(count) * unitMs;
  const atMs = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(atMs))
    throw new UserError(
      `${option} takes 30m, 24h, 7d or a time like 2026-12-01T08:00Z, not ${JSON.stringify(text)}`,
    );
  return atMs;
}

/** For the title: `last 24h`, `since 2026-11-30T08:00Z`. */
export function rangeInWords({ sinceMs, untilMs }: TimeRange, since = DEFAULT_SINCE): string {
  const minute = (ms: number) => `${new Date(ms).toISOString().slice(0, 16)}Z`;
  if (untilMs !== null) return `${minute(sinceMs)} to ${minute(untilMs)}`;
  return /^\d+[smhdw]$/.test(since) ? `last ${since}` : `since ${minute(sinceMs)}`;
}
