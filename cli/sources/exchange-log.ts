/** A call that was diagnosed here and now, from a log or from a program that is running, as reports and the viewer see it. */
import type { DiagnosedCall } from '../../src/diagnosis.ts';
import type { ReportedCall } from '../summary/reported-call.ts';

export function toReportedCall({ diagnosis, evidence }: DiagnosedCall): ReportedCall {
  return {
    ...diagnosis,
    id: `call-${diagnosis.index}`,
    outputTokens: evidence.outputTokens,
    durationMs: evidence.durationMs,
    timeToFirstByteMs: evidence.timeToFirstByteMs,
    layout: evidence.layout,
    floor: evidence.floor,
    change: evidence.change,
    lifetimeMs: evidence.lifetimeMs,
    // The log's owner is reading the log: its text is no secret here, unlike in a store that goes elsewhere.
    excerpt: evidence.excerpt && detached(evidence.excerpt),
  };
}

/** A piece of a text holds on to the whole of it, which is a prompt here; a copy does not. */
function detached<T>(texts: T): T {
  return JSON.parse(JSON.stringify(texts));
}
