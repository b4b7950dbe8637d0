/** What `/` looks at: words that all must occur in what a person can see of a call. */
import { causeOf } from '../summary/classify.ts';
import type { ReportedCall } from '../summary/reported-call.ts';

export function matchesFilter(call: ReportedCall, filter: string): boolean {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return true;
  const { thread, phase, delegation } = call.scope;
  const visible = [thread, phase, delegation, call.lineage, call.model, causeOf(call), call.divergence?.path]
    .filter((part) => part !== null && part !== undefined)
    .join(' ')
    .toLowerCase();
  return words.every((word) => visible.includes(word));
}
