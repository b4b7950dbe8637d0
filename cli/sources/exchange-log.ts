/** An exchange log as a source: diagnosed here and now, with the same engine as live traffic. */
import type { DiagnosedCall } from '../../src/diagnosis.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import type { CallSource } from './call-source.ts';
import { diagnoseInputs } from './diagnose-logs.ts';
import type { InputFile } from './input-file.ts';
import { createSourceNotes } from './notes.ts';

const BATCH_SIZE = 100;

export function exchangeLogSource(input: InputFile): CallSource {
  const notes = createSourceNotes();
  return {
    name: input.name,
    canFollow: false,
    notes,
    async *read() {
      let batch: ReportedCall[] = [];
      for await (const call of diagnoseInputs([input], notes)) {
        batch.push(toReportedCall(call));
        if (batch.length === BATCH_SIZE) {
          yield batch;
          batch = [];
        }
      }
      if (batch.length > 0) yield batch;
    },
  };
}

export function toReportedCall({ diagnosis, evidence }: DiagnosedCall): ReportedCall {
  return {
    ...diagnosis,
    id: `call-${diagnosis.index}`,
    durationMs: evidence.durationMs,
    timeToFirstByteMs: evidence.timeToFirstByteMs,
    layout: evidence.layout,
    change: evidence.change,
    lifetimeMs: evidence.lifetimeMs,
    // The log's owner is reading the log: its text is no secret here, unlike in a store that goes elsewhere.
    excerpt: evidence.excerpt,
  };
}
