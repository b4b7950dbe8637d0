/** Reading fields of foreign JSON: what is not of the wanted type is as good as absent. */
import type { JsonObject } from './exchange.ts';

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectIn(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function stringIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** An ISO 8601 text or milliseconds since the epoch. */
export function timeIn(value: unknown): number | undefined {
  if (typeof value !== 'string') return numberIn(value);
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : atMs;
}
