/**
 * Usage records → diagnoses, each compared with the call before it in its conversation. No prompt is known, so no
 * divergence but another model is ever claimed and no side is blamed: a drop without a known cause is a finding whose certainty is `unknown`.
 */
import { floorTo } from '../cache/available.ts';
import { type CacheRules, rulesFor } from '../cache/rules.ts';
import { costOf, type Prices, rebilledCost } from '../cost/prices.ts';
import type { CallCost, Certainty, Diagnosis, Divergence, Miss, Outcome } from '../diagnosis.ts';
import type { UsageRecord } from './usage-record.ts';

const HOUR_MS = 3_600_000;

interface LastCall {
  readonly record: UsageRecord;
  readonly index: number;
  readonly lineage: string;
  readonly turn: number;
  /** The longest lifetime that an entry of this conversation was written with. */
  readonly ttlMs: number;
}

interface Cause {
  readonly divergence?: Divergence;
  readonly miss: Miss | null;
  readonly expected: string | null;
  readonly certainty: Certainty;
}

export type UsageDiagnoser = (record: UsageRecord) => Diagnosis;

export function createUsageDiagnoser(prices: Prices): UsageDiagnoser {
  /** Owner: this diagnoser. One entry a conversation. */
  const lastCalls = new Map<string, LastCall>();
  let calls = 0;
  return (record) => {
    const before = lastCalls.get(record.conversation) ?? null;
    const rules = rulesFor({ ...record, endpoint: null, requestTtlMs: null, breakpoints: 1 });
    const last: LastCall = {
      record,
      index: calls,
      lineage: before?.lineage ?? `l${lastCalls.size + 1}`,
      turn: (before?.turn ?? 0) + 1,
      ttlMs: (record.usage.longTtlWrite ?? 0) > 0 ? HOUR_MS : (before?.ttlMs ?? rules.ttlMs),
    };
    calls += 1;
    lastCalls.set(record.conversation, last);
    return describe(last, before, rules, prices);
  };
}

function describe(last: LastCall, before: LastCall | null, rules: CacheRules, prices: Prices): Diagnosis {
  const { record, index, lineage, turn } = last;
  const { usage, model, atMs } = record;
  const available = before && availableFrom(before.record, rules);
  const rebilled = rebilledTokens(record, available);
  const isLost = rebilled !== null && available !== null && rebilled > tolerance(record, available, rules);
  const cause = isLost && before ? causeOf(record, before) : NO_CAUSE;
  return {
    index,
    source: record.source,
    at: atMs === null ? null : new Date(atMs).toISOString(),
    api: record.api,
    model,
    scope: { thread: record.conversation, phase: null, delegation: null },
    lineage,
    turn,
    baseline: before?.index ?? null,
    divergence: cause.divergence ?? null,
    miss: cause.miss,
    expected: cause.expected,
    outcome: outcomeOf(usage.cacheRead, isLost),
    certainty: usage.cacheRead === null ? 'unknown' : cause.certainty,
    finding: isLost && cause.expected === null,
    tokens: {
      input: usage.input,
      cacheRead: usage.cacheRead,
      cacheWrite: usage.cacheWrite,
      uncached: usage.uncached,
      // What should have been read depends on the prompt, which nobody recorded.
      expectedRead: null,
      shared: 0,
      behind: 0,
      rebilled: isLost || rebilled === null ? rebilled : 0,
      method: 'usage',
    },
    cost: costOfCall(record, isLost ? rebilled : rebilled === null ? null : 0, prices),
    provider: null,
  };
}

function availableFrom({ usage }: UsageRecord, rules: CacheRules): number | null {
  if (usage.cacheRead === null) return null;
  if (usage.input < rules.minimumTokens) return 0;
  if (rules.style === 'implicit' || rules.setsMarks) return floorTo(usage.input, rules.granularityTokens);
  return Math.min(usage.input, usage.cacheRead + (usage.cacheWrite ?? 0));
}

/** Contract §7: min(previous read + previous written − current read, current tokens not read). */
function rebilledTokens({ usage }: UsageRecord, available: number | null): number | null {
  if (usage.cacheRead === null || available === null) return null;
  return Math.max(0, Math.min(available - usage.cacheRead, usage.input - usage.cacheRead));
}

function tolerance({ usage }: UsageRecord, available: number, rules: CacheRules): number {
  const readable = Math.min(available, usage.input);
  return Math.max(rules.style === 'explicit' ? 16 : 128, rules.granularityTokens, readable * rules.noise);
}

const NO_CAUSE: Cause = { miss: null, expected: null, certainty: 'observed' };
const UNEXPLAINED: Cause = { miss: null, expected: null, certainty: 'unknown' };

/** Said by the record itself: each model has a cache of its own. */
const SWITCHED: Cause = {
  divergence: {
    component: 'model',
    kind: 'model.switched',
    path: 'model',
    leaf: 'model',
    byteOffset: null,
    label: 'model',
    also: [],
    advice: 'Each model has a cache of its own: switch models where a conversation begins.',
  },
  miss: null,
  expected: null,
  certainty: 'inferred',
};

function causeOf(record: UsageRecord, { record: before, ttlMs }: LastCall): Cause {
  if (record.isCompacted) return { miss: null, expected: 'compaction', certainty: 'inferred' };
  if (record.model !== before.model) return SWITCHED;
  const idleMs = record.atMs === null || before.atMs === null ? 0 : record.atMs - before.atMs;
  if (idleMs > ttlMs) return { miss: 'ttl_expired', expected: null, certainty: 'inferred' };
  // Reasoning of a finished turn leaves the prompt when a person speaks: the input shrinks although the history grew.
  const hasShrunk = record.usage.input < before.usage.input && (record.usage.cacheRead ?? 0) > 0;
  if (record.api === 'openai.responses' && record.startsTurn && hasShrunk)
    return { miss: 'server_strips_thinking', expected: null, certainty: 'inferred' };
  return UNEXPLAINED;
}

function outcomeOf(read: number | null, isLost: boolean): Outcome {
  if (read === null) return 'unknown';
  if (read === 0) return 'miss';
  return isLost ? 'partial' : 'hit';
}

function costOfCall(
  { model, usage, atMs }: UsageRecord,
  rebilled: number | null,
  prices: Prices,
): CallCost | null {
  const found = model === null ? null : prices.find(model, usage.input, atMs);
  if (!found) return null;
  return {
    usd: costOf(usage, found.price),
    rebilledUsd: rebilled === null ? null : rebilledCost(rebilled, usage, found.price),
    priceModel: found.model,
    priceDate: found.date,
  };
}
