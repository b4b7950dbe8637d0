/** The hit rate over time, in as many steps as there is room for. */
import type { ReportedCall } from './reported-call.ts';

/** A step whose calls report no usage is `null`: a gap, not a drop to zero. */
export function hitRateHistory(calls: readonly ReportedCall[], steps: number): (number | null)[] {
  const count = Math.min(steps, calls.length);
  return Array.from({ length: count }, (_, step) => {
    const from = Math.floor((step * calls.length) / count);
    const to = Math.floor(((step + 1) * calls.length) / count);
    const measured = calls.slice(from, to).filter((call) => call.tokens.cacheRead !== null);
    const input = measured.reduce((sum, call) => sum + call.tokens.input, 0);
    const read = measured.reduce((sum, call) => sum + (call.tokens.cacheRead ?? 0), 0);
    return input > 0 ? read / input : null;
  });
}

const LEVELS = '▁▂▃▄▅▆▇█';

export function sparkline(history: readonly (number | null)[]): string {
  return history
    .map((rate) =>
      rate === null ? '·' : LEVELS[Math.min(LEVELS.length - 1, Math.floor(rate * LEVELS.length))],
    )
    .join('');
}
