/**
 * Figures as a person reads them. Unknown is `–`, never 0; `~` marks an estimate, `≥` a sum of which parts are unknown.
 */
import type { Measure } from '../summary/measure.ts';

const UNKNOWN = '–';

const wholeNumbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export function formatCount(value: number): string {
  return wholeNumbers.format(value);
}

export function formatTokens(value: number | null): string {
  return value === null ? UNKNOWN : formatCount(value);
}

/** Whole cents from ten cents up; below that two digits that say something, down to a hundredth of a cent. */
export function formatUsd(value: number | null): string {
  if (value === null) return UNKNOWN;
  const size = Math.abs(value);
  if (size === 0) return '$0.00';
  if (size < 0.00005) return '<$0.0001';
  if (size < 0.01) return `$${value.toFixed(4)}`;
  if (size < 0.1) return `$${value.toFixed(3)}`;
  return size < 1_000 ? `$${value.toFixed(2)}` : `$${wholeNumbers.format(value)}`;
}

export function formatShare(value: number | null): string {
  if (value === null) return UNKNOWN;
  const percent = value * 100;
  // 99.7 % is not 100 %, and 0.2 % is not nothing.
  const rounded = percent > 99 && percent < 100 ? 99 : percent > 0 && percent < 1 ? 1 : Math.round(percent);
  return `${rounded} %`;
}

/** A sum with its doubts in front: `~` partly estimated, `≥` partly unknown. */
export function formatMeasure(measure: Measure, format: (value: number | null) => string): string {
  if (measure.value === null) return UNKNOWN;
  return `${measure.unknownCalls > 0 ? '≥ ' : ''}${measure.isEstimated ? '~' : ''}${format(measure.value)}`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function formatDuration(durationMs: number | null): string {
  if (durationMs === null) return UNKNOWN;
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  if (durationMs < MINUTE_MS) return `${(durationMs / 1_000).toFixed(durationMs < 10_000 ? 1 : 0)} s`;
  if (durationMs < HOUR_MS) return `${Math.round(durationMs / MINUTE_MS)} min`;
  if (durationMs < 2 * DAY_MS) return `${Math.round(durationMs / HOUR_MS)} h`;
  return `${Math.round(durationMs / DAY_MS)} days`;
}

/** Local time of day; `TZ` decides, as everywhere on the machine. */
export function formatTimeOfDay(at: string | null): string {
  const date = at === null ? null : new Date(at);
  if (date === null || Number.isNaN(date.getTime())) return UNKNOWN;
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}
