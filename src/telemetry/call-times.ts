/** When a call began and ended, from what is known of it: live or read from a log long after. */
import type { HrTime } from '@opentelemetry/api';
import type { ExchangeRequest, ExchangeResponse } from '../exchange.ts';

/** A call that began this much before it was opened here was not made here: it comes from a log. */
const LIVE_WITHIN_MS = 60_000;

export function callTimes(
  request: Pick<ExchangeRequest, 'atMs'>,
  response: Pick<ExchangeResponse, 'firstByteAtMs' | 'completedAtMs'>,
  openedAtMs: number,
  endedAtMs: number,
): { startTime: HrTime; endTime: HrTime } {
  const startMs = request.atMs ?? openedAtMs;
  const isLive = openedAtMs - startMs < LIVE_WITHIN_MS;
  // A recorded call of unknown length gets none, rather than one that lasts until today.
  const endMs = response.completedAtMs ?? (isLive ? endedAtMs : (response.firstByteAtMs ?? startMs));
  return { startTime: highResolution(startMs), endTime: highResolution(Math.max(startMs, endMs)) };
}

/** The SDK takes a small plain number for a time since process start, so times go in as pairs. */
function highResolution(epochMs: number): HrTime {
  const nanosecondsOfMs = Math.round((epochMs % 1) * 1e6);
  const wholeMs = Math.floor(epochMs);
  return [Math.floor(wholeMs / 1000), (wholeMs % 1000) * 1e6 + nanosecondsOfMs];
}
