/** The report as data. Sums carry their doubts: `unknownCalls` are left out of `value`, `estimated` says how it was made. */
import { EARLY_BELOW, fullnessHistory, type WindowUse } from '../summary/context-window.ts';
import { adviceFor } from '../summary/explain.ts';
import type { CauseGroup } from '../summary/groups.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import type { Breakdown } from '../summary/summary.ts';
import { possibleUsd, type Totals } from '../summary/totals.ts';
import { measureJson, noteJson } from './diagnosis-json.ts';
import type { Report } from './report.ts';

export function reportJson({ title, summary, notes, resets, costliest, unseen, windows }: Report): string {
  return `${JSON.stringify(
    {
      version: 1,
      source: title,
      totals: totalsJson(summary.totals),
      costliestCall: costliest && { ...placeJson(costliest.call), usd: costliest.usd },
      resets: resets.map(({ rebilledTokens, rebilledUsd, ...rest }) => ({
        ...rest,
        rebilled: measureJson(rebilledTokens),
        rebilledUsd: measureJson(rebilledUsd),
      })),
      findings: summary.faults.map(groupJson),
      notThePrompt: summary.circumstances.map(groupJson),
      declared: summary.declared.map(groupJson),
      phases: summary.phases.map(breakdownJson),
      lineages: summary.lineages.map(breakdownJson),
      contextWindow: { earlyBelow: EARLY_BELOW, lineages: windows.map(windowJson) },
      notSeen: unseen,
      unreadFiles: noteJson(notes.unreadFiles),
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
    callCount: group.callCount,
    calls: group.calls.map(placeJson),
  };
}

function placeJson({ index, id, source, at, lineage, turn }: ReportedCall) {
  return { index, id, source, at, lineage, turn };
}

const FULLNESS_STEPS = 60;

function windowJson(use: WindowUse) {
  const { lineage, windows, fullest, cuts, outgrown } = use;
  return {
    name: lineage.name,
    calls: lineage.totals.calls,
    windowTokens: windows.map(({ tokens }) => tokens),
    outgrown,
    fullest: { call: fullest.call.index, inputTokens: fullest.call.tokens.input, fullness: fullest.fullness },
    /** The fullest call of each of up to 60 steps. */
    fullness: fullnessHistory(use, FULLNESS_STEPS),
    cuts: cuts.map(({ call, isEarly, isEstimated, ...cut }) => ({
      ...cut,
      call: call.index,
      rebilled: cut.lossOf === null ? call.tokens.rebilled : null,
      rebilledUsd: cut.lossOf === null ? (call.cost?.rebilledUsd ?? null) : null,
      early: isEarly,
      estimated: isEstimated,
    })),
  };
}

function breakdownJson({ name, totals }: Breakdown) {
  return { name, ...totalsJson(totals) };
}
