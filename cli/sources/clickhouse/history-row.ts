/** The hit rate over time as cli/summary/hit-rate-history.ts has it: steps of as many calls each, cut where the server finds them. */
import type { Answered } from './asker.ts';
import { callsSql } from './call-columns.ts';
import { secondsText } from './hours.ts';
import { ROW_HOURS_CONDITION, sumsSql } from './sums.ts';
import { numberOf, textsOf } from './totals-row.ts';

export async function historyOf(
  answered: Answered,
  calls: number,
  steps: number,
): Promise<(number | null)[]> {
  const count = Math.min(steps, calls);
  if (count === 0) return [];
  // The first call of each step but the first.
  const starts = Array.from({ length: count - 1 }, (_, step) => Math.floor(((step + 1) * calls) / count));
  const { edges, rowHours } = await edgesOf(answered, calls, starts);
  const rows = await answered.ask(
    `SELECT roundDown(toUnixTimestamp64Micro(First), arrayMap(edge -> toInt64(edge), {edges:Array(String)})) AS edge,
  toFloat64(sum(MeasuredInput)) AS input, toFloat64(sum(ReadSum)) AS read
FROM ${sumsSql(answered.columns)}
GROUP BY edge`,
    { edges: ['0', ...edges], rowHours },
  );
  const history = new Array<number | null>(count).fill(null);
  for (const row of rows) {
    const input = numberOf(row.input);
    const step = edges.filter((edge) => Number(edge) <= numberOf(row.edge)).length;
    if (input > 0) history[step] = numberOf(row.read) / input;
  }
  return history;
}

/** When the calls at these places among all began. An hour with such a call in it belongs to two steps: it is read row by row. */
async function edgesOf(
  { ask, columns, hours }: Answered,
  calls: number,
  starts: readonly number[],
): Promise<{ readonly edges: readonly string[]; readonly rowHours: readonly string[] }> {
  const cut = hours === null ? { count: calls, starts, hours: [] } : cutHours(hours.calls, starts);
  const rowHours = [...new Set([...(hours?.rowHours ?? []), ...cut.hours])];
  if (cut.starts.length === 0) return { edges: [], rowHours };
  // Half a call further, so that no rounding finds the one before.
  const levels = cut.starts.map((place) => ((place + 0.5) / cut.count).toFixed(15));
  const [row] = await ask(
    `SELECT arrayMap(edge -> toString(edge), quantilesExact(${levels.join(', ')})(toUnixTimestamp64Micro(At))) AS edges
FROM ${callsSql(columns, hours === null ? undefined : ROW_HOURS_CONDITION)}`,
    { rowHours: cut.hours },
  );
  return { edges: textsOf(row?.edges), rowHours };
}

/** The hours that hold the calls at these places, and where those stand among the calls of these hours. */
function cutHours(
  hours: readonly { readonly startMs: number; readonly calls: number }[],
  starts: readonly number[],
): { readonly count: number; readonly starts: number[]; readonly hours: string[] } {
  const cut = { count: 0, starts: [] as number[], hours: [] as string[] };
  let before = 0;
  for (const { startMs, calls } of hours) {
    const within = starts.filter((place) => place >= before && place < before + calls);
    if (within.length > 0) {
      cut.starts.push(...within.map((place) => place - before + cut.count));
      cut.hours.push(secondsText(startMs));
      cut.count += calls;
    }
    before += calls;
  }
  return cut;
}
