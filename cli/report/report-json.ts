/** The report as data. Sums carry their doubts: `unknownCalls` are left out of `value`, `estimated` says how it was made. */
import type { SourceNotes } from '../sources/notes.ts';
import { adviceFor } from '../summary/explain.ts';
import type { CauseGroup } from '../summary/groups.ts';
import type { Breakdown, Summary } from '../summary/summary.ts';
import { possibleUsd, type Totals } from '../summary/totals.ts';
import { measureJson, noteJson } from './diagnosis-json.ts';

export function reportJson(summary: Summary, source: string, notes: SourceNotes): string {
  return `${JSON.stringify(
    {
      version: 1,
      source,
      totals: totalsJson(summary.totals),
      findings: summary.faults.map(groupJson),
      notThePrompt: summary.circumstances.map(groupJson),
      declared: summary.declared.map(groupJson),
      phases: summary.phases.map(breakdownJson),
      lineages: summary.lineages.map(breakdownJson),
      unreadable: noteJson(notes.unreadable),
      skippedLines: noteJson(notes.skippedLines),
    },
    null,
    2,
  )}\n`;
}

function totalsJson(totals: Totals) {
  return {
    calls: totals.calls,
    callsWithoutUsage: totals.callsWithoutUsage,
    findings: totals.findings,
    lineages: totals.lineages,
    spanMs: totals.spanMs,
    tokens: {
      input: measureJson(totals.inputTokens),
      read: measureJson(totals.readTokens),
      written: measureJson(totals.writtenTokens),
      uncached: measureJson(totals.uncachedTokens),
      rebilled: measureJson(totals.rebilledTokens),
      avoidable: measureJson(totals.avoidableTokens),
    },
    hitRate: totals.hitRate,
    possibleHitRate: totals.possibleHitRate,
    cost: {
      usd: measureJson(totals.usd),
      rebilledUsd: measureJson(totals.rebilledUsd),
      avoidableUsd: measureJson(totals.avoidableUsd),
      possibleUsd: possibleUsd(totals),
      priceDates: totals.priceDates,
    },
  };
}

function groupJson(group: CauseGroup) {
  return {
    cause: group.cause,
    phase: group.phase,
    path: group.path,
    places: group.placeCount,
    advice: adviceFor(group.worst),
    rebilled: measureJson(group.rebilledTokens),
    rebilledUsd: measureJson(group.rebilledUsd),
    longestIdleMs: group.longestIdleMs,
    calls: group.calls.map(({ index, id, source, at, lineage, turn }) => ({
      index,
      id,
      source,
      at,
      lineage,
      turn,
    })),
  };
}

function breakdownJson({ name, totals }: Breakdown) {
  return { name, ...totalsJson(totals) };
}
