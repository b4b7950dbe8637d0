/** The hit rate over time as cli/summary/hit-rate-history.ts has it: steps of as many calls each, cut where the server finds them. */
import type { Answered } from './asker.ts';
import { callsSql } from './call-columns.ts';
import { numberOf, textsOf } from './totals-row.ts';

const AT = 'toUnixTimestamp64Micro(At)';

export async function historyOf(
  { ask, columns }: Answered,
  calls: number,
  steps: number,
): Promise<(number | null)[]> {
  const count = Math.min(steps, calls);
  if (count === 0) return [];
  // The first call of each step but the first; half a call further, so that no rounding finds the one before.
  const starts = Array.from({ length: count - 1 }, (_, step) => Math.floor(((step + 1) * calls) / count));
  const levels = starts.map((position) => ((position + 0.5) / calls).toFixed(15));
  const [edges] =
    levels.length === 0
      ? []
      : await ask(
          `SELECT arrayMap(edge -> toString(edge), quantilesExact(${levels.join(', ')})(${AT})) AS edges FROM ${callsSql(columns)}`,
        );
  const rows = await ask(
    `WITH arrayMap(edge -> toInt64(edge), {edges:Array(String)}) AS edges
SELECT arrayCount(edge -> edge <= ${AT}, edges) AS step, toFloat64(sum(Input)) AS input, toFloat64(sum(Read)) AS read
FROM ${callsSql(columns)} WHERE Read IS NOT NULL
GROUP BY step`,
    { edges: textsOf(edges?.edges) },
  );
  const history = new Array<number | null>(count).fill(null);
  for (const row of rows) {
    const input = numberOf(row.input);
    if (input > 0) history[numberOf(row.step)] = numberOf(row.read) / input;
  }
  return history;
}
