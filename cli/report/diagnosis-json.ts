/** `prefixtrace diagnose --json`: design contract §7. Field names here are a contract; the summary's doubts are spelled out. */
import type { Diagnosis } from '../../src/diagnosis.ts';
import type { NoteList, SourceNotes } from '../sources/notes.ts';
import { causeOf } from '../summary/classify.ts';
import type { Measure } from '../summary/measure.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { breakDown } from '../summary/summary.ts';
import { totalsOf } from '../summary/totals.ts';

/** In pieces: one string for all calls of a large log would be longer than a string may be. */
export function* diagnosisJson(calls: readonly ReportedCall[], notes: SourceNotes): Generator<string> {
  yield '{"version":1,"calls":[';
  for (const [position, call] of calls.entries()) {
    yield `${position === 0 ? '\n' : ',\n'}${JSON.stringify(toDiagnosis(call))}`;
  }
  yield `\n],"summary":${JSON.stringify(summaryJson(calls, notes))}}\n`;
}

function toDiagnosis(call: ReportedCall): Omit<Diagnosis, 'api'> {
  const {
    id: _id,
    durationMs: _duration,
    timeToFirstByteMs: _firstByte,
    layout: _layout,
    change: _change,
    lifetimeMs: _lifetime,
    excerpt: _excerpt,
    ...rest
  } = call;
  return rest;
}

function summaryJson(calls: readonly ReportedCall[], notes: SourceNotes) {
  const totals = totalsOf(calls);
  const findings = calls.filter((call) => call.finding);
  return {
    calls: totals.calls,
    findings: totals.findings,
    lineages: totals.lineages,
    tokens: {
      input: totals.inputTokens.value,
      read: totals.readTokens.value,
      written: totals.writtenTokens.value,
      rebilled: totals.rebilledTokens.value,
      // The sums above leave these calls out; nothing is guessed for them.
      callsWithoutUsage: totals.callsWithoutUsage,
    },
    hitRate: totals.hitRate,
    cost: {
      usd: totals.usd.value,
      rebilledUsd: totals.rebilledUsd.value,
      avoidableUsd: totals.avoidableUsd.value,
      callsWithoutPrice: totals.usd.unknownCalls,
    },
    byKind: Object.fromEntries(
      breakDown(findings, causeOf).map((part) => [
        part.name ?? 'unknown',
        {
          findings: part.calls.length,
          rebilled: part.totals.rebilledTokens.value,
          rebilledUsd: part.totals.rebilledUsd.value,
        },
      ]),
    ),
    unreadable: noteJson(notes.unreadable),
    skippedLines: noteJson(notes.skippedLines),
  };
}

export function measureJson(measure: Measure) {
  return { value: measure.value, unknownCalls: measure.unknownCalls, estimated: measure.isEstimated };
}

export function noteJson(notes: NoteList) {
  return { count: notes.count, first: notes.first };
}
