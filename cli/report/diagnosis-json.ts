/** `prefixtrace diagnose --json`: design contract §7. Field names here are a contract; the summary's doubts are spelled out. */
import type { Diagnosis } from '../../src/diagnosis.ts';
import { leanCall } from '../sources/lean-call.ts';
import type { NoteList, SourceNotes } from '../sources/notes.ts';
import { causeOf } from '../summary/classify.ts';
import type { Measure } from '../summary/measure.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { breakDown } from '../summary/summary.ts';
import { type Totals, TotalsSum } from '../summary/totals.ts';

/**
 * In pieces, as the calls come; nothing before the first of them, so that a source of which nothing can be read leaves no
 * half an answer behind.
 */
export async function* diagnosisJson(
  batches: AsyncIterable<readonly ReportedCall[]>,
  notes: SourceNotes,
): AsyncGenerator<string> {
  const totals = new TotalsSum();
  const findings: ReportedCall[] = [];
  let separator = '{"version":1,"calls":[\n';
  const pieceOf = (call: ReportedCall) => {
    totals.add(call);
    if (call.finding) findings.push(leanCall(call));
    const piece = `${separator}${JSON.stringify(toDiagnosis(call))}`;
    separator = ',\n';
    return piece;
  };
  const stored = new Map<string, ReportedCall>();
  for await (const batch of batches) {
    let piece = '';
    for (const call of batch) {
      // A stored call may be reported again when more of it is found; what comes behind it keeps its place.
      if (call.source === null || stored.size > 0) stored.set(call.id, call);
      else piece += pieceOf(call);
    }
    if (piece !== '') yield piece;
  }
  for (const call of [...stored.values()].sort((left, right) => left.index - right.index))
    yield pieceOf(call);
  const start = separator.startsWith('{') ? '{"version":1,"calls":[' : '';
  yield `${start}\n],"summary":${JSON.stringify(summaryJson(totals.totals(), findings, notes))}}\n`;
}

function toDiagnosis(call: ReportedCall): Omit<Diagnosis, 'api'> {
  const {
    id: _id,
    outputTokens: _output,
    durationMs: _duration,
    timeToFirstByteMs: _firstByte,
    layout: _layout,
    floor: _floor,
    change: _change,
    lifetimeMs: _lifetime,
    excerpt: _excerpt,
    ...rest
  } = call;
  return rest;
}

function summaryJson(totals: Totals, findings: readonly ReportedCall[], notes: SourceNotes) {
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
    unreadFiles: noteJson(notes.unreadFiles),
  };
}

export function measureJson(measure: Measure) {
  return { value: measure.value, unknownCalls: measure.unknownCalls, estimated: measure.isEstimated };
}

export function noteJson(notes: NoteList) {
  return { count: notes.count, first: notes.first };
}
