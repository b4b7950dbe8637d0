/**
 * The rows of a lineage's timeline: its calls, the pauses that outlived the cache, and what other lineages of the thread
 * (side calls, sub-agents) did in between, under the call before them. Pure.
 */
import type { ReportedCall } from '../summary/reported-call.ts';
import { startedAtMs } from '../summary/reported-call.ts';

export type TimelineRow =
  | { readonly kind: 'call'; readonly id: string; readonly call: ReportedCall }
  /** Calls of one other lineage that follow one another. */
  | { readonly kind: 'beside'; readonly id: string; readonly calls: readonly ReportedCall[] }
  | { readonly kind: 'pause'; readonly id: null; readonly idleMs: number };

/** `shown` and `calls` in order of time; `calls` are those of the lineage. */
export function timelineRows(shown: readonly ReportedCall[], calls: readonly ReportedCall[]): TimelineRow[] {
  const others = othersOfThread(shown, calls);
  const rows: TimelineRow[] = [];
  let next = 0;
  let before: ReportedCall | undefined;
  for (const call of calls) {
    let other = others[next];
    for (; other !== undefined && isBefore(other, call); other = others[next]) {
      next += 1;
      // What came before the first call of this lineage was made by another one.
      if (before !== undefined) addBeside(rows, other);
    }
    const idleMs = before === undefined ? null : lapseBetween(before, call);
    if (idleMs !== null) rows.push({ kind: 'pause', id: null, idleMs });
    rows.push({ kind: 'call', id: call.id, call });
    before = call;
  }
  return rows;
}

function othersOfThread(shown: readonly ReportedCall[], [first]: readonly ReportedCall[]): ReportedCall[] {
  const thread = first?.scope.thread ?? null;
  if (first === undefined || thread === null) return [];
  return shown.filter((call) => call.scope.thread === thread && call.lineage !== first.lineage);
}

function addBeside(rows: TimelineRow[], call: ReportedCall): void {
  const last = rows.at(-1);
  if (last?.kind === 'beside' && last.calls[0]?.lineage === call.lineage)
    rows[rows.length - 1] = { ...last, calls: [...last.calls, call] };
  else rows.push({ kind: 'beside', id: `beside ${call.id}`, calls: [call] });
}

function isBefore(left: ReportedCall, right: ReportedCall): boolean {
  return left.at !== null && right.at !== null && left.at < right.at;
}

/** The pause, where it was longer than the entry lives. */
function lapseBetween(before: ReportedCall, call: ReportedCall): number | null {
  const fromMs = startedAtMs(before);
  const toMs = startedAtMs(call);
  if (fromMs === null || toMs === null) return null;
  const idleMs = toMs - fromMs;
  const isLapse = call.miss === 'ttl_expired' || (before.lifetimeMs !== null && idleMs > before.lifetimeMs);
  return isLapse ? idleMs : null;
}
