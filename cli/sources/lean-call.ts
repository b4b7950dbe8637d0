/** Calls as they are held by the thousand: without the pictures that only a viewer draws. */

import type { ReportedCall } from '../summary/reported-call.ts';
import type { CallSource } from './call-source.ts';

/** All calls of a source, each as it was reported last, in the order of their numbers. */
export async function readLean(source: CallSource): Promise<ReportedCall[]> {
  const calls = new Map<string, ReportedCall>();
  for await (const batch of source.read()) for (const call of batch) calls.set(call.id, leanCall(call));
  return [...calls.values()].sort((left, right) => left.index - right.index);
}

export function leanCall(call: ReportedCall): ReportedCall {
  return { ...call, layout: [], floor: null, excerpt: call.finding ? call.excerpt : null };
}
