/** The one call that cost most; `null` where no call has a price. */
import type { ReportedCall } from './reported-call.ts';

export interface CostliestCall {
  readonly call: ReportedCall;
  readonly usd: number;
}

export function costliestCall(calls: Iterable<ReportedCall>): CostliestCall | null {
  let most: CostliestCall | null = null;
  for (const call of calls) {
    const usd = call.cost?.usd ?? null;
    if (usd !== null && (most === null || usd > most.usd)) most = { call, usd };
  }
  return most;
}
