/** Which calls of a long lineage are drawn: each loss and the call before it, the first and the last, then whatever fits. */
import { categoryOf } from '../../summary/classify.ts';
import type { ReportedCall } from '../../summary/reported-call.ts';

/** A call, or how many were left out between two. */
export type TimelineRow = { readonly call: ReportedCall } | { readonly leftOut: number };

export function shownRows(calls: readonly ReportedCall[], most: number): TimelineRow[] {
  const chosen = calls.length <= most ? new Set(calls.keys()) : chooseRows(calls, most);
  const rows: TimelineRow[] = [];
  let leftOut = 0;
  for (const [position, call] of calls.entries()) {
    if (!chosen.has(position)) {
      leftOut += 1;
      continue;
    }
    if (leftOut > 0) rows.push({ leftOut });
    leftOut = 0;
    rows.push({ call });
  }
  if (leftOut > 0) rows.push({ leftOut });
  return rows;
}

function chooseRows(calls: readonly ReportedCall[], most: number): Set<number> {
  const chosen = new Set<number>();
  const choose = (position: number) => {
    if (chosen.size < most && position >= 0) chosen.add(position);
  };
  choose(0);
  choose(calls.length - 1);
  for (const [position, call] of calls.entries()) {
    if (chosen.size >= most) break;
    if (categoryOf(call) === 'quiet') continue;
    choose(position - 1);
    choose(position);
  }
  for (let position = 0; position < calls.length && chosen.size < most; position++) choose(position);
  return chosen;
}
