/**
 * Verdict: divergence or miss, joined with what the usage says. Order of the questions: did the API refuse the request;
 * how much was lost against what the baseline left in the cache; does a changed prompt explain it; do the provider's rules
 * explain it; and only when every cause on the client's side is excluded, `provider_side`.
 */
import type { Certainty, Divergence, Miss, Outcome } from '../diagnosis.ts';
import type { Head } from '../lineage/head.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { TokenUsage } from '../prompt/usage.ts';
import {
  growingEndPath,
  inRenderOrder,
  type MarkFault,
  markFault,
  missingMarkPath,
  rejectedMarks,
} from './marks.ts';
import { missCause } from './miss-cause.ts';
import type { CacheRules } from './rules.ts';
import type { Simulation } from './simulate.ts';

export interface Judged {
  readonly prompt: Prompt;
  readonly rules: CacheRules;
  readonly usage: TokenUsage | null;
  readonly atMs: number | null;
  readonly account: string | null;
  readonly endpoint: string | null;
  readonly inferenceGeo: string | null;
  readonly status: number | null;
  readonly upstream: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly baseline: Head | null;
  /** The baseline's prompt, where it is still held. */
  readonly before: Prompt | null;
  /** The change of content, if there is one, and the first segment that it touches. */
  readonly divergence: Divergence | null;
  readonly divergedAt: number | null;
  /** The baseline is another conversation or branch: only the shared part could have been read. */
  readonly isShared: boolean;
  /** Tokens of the shared prefix, calibrated. */
  readonly sharedTokens: number;
  /** Explicit caches: what the rules say. */
  readonly simulation: Simulation | null;
  /** A changed setting without documented effect, or another model behind an alias: blamed where nothing else is. */
  readonly suspect: Divergence | null;
  /** The baseline's usage is a sum over several inner runs of the model (server-side tools): it bounds nothing. */
  readonly isBaselineSummed: boolean;
}

export interface Verdict {
  readonly divergence: Divergence | null;
  readonly miss: Miss | null;
  readonly outcome: Outcome;
  readonly certainty: Certainty;
  /** It cost something, or would have by the rules where usage does not say. */
  readonly isCostly: boolean;
  readonly expectedRead: number | null;
  readonly rebilled: number | null;
}

export function judge(call: Judged): Verdict {
  const rejected = call.status !== null && call.status >= 400 ? rejectedVerdict(call) : null;
  if (rejected) return rejected;
  const read = call.usage?.cacheRead ?? null;
  const available = availableTokens(call);
  const rebilled = rebilledTokens(call, available);
  const expectedRead = expectedReadOf(call, available);
  const lost = rebilled !== null && rebilled > toleranceOf(call.rules, available);
  const outcome = outcomeOf(read, lost, available);
  const volatile = call.divergence ? null : volatileMark(call);
  if (volatile) {
    const whole = { ...call, isShared: false };
    const certainty = call.usage ? 'observed' : 'inferred';
    return {
      ...volatile,
      outcome,
      certainty,
      isCostly: true,
      expectedRead,
      rebilled: rebilledTokens(call, availableTokens(whole)),
    };
  }
  const fault = call.divergence ? null : faultOfMarks(call, lost);
  if (fault) {
    const certainty = call.usage ? 'observed' : 'inferred';
    return { ...fault, outcome, certainty, isCostly: true, expectedRead, rebilled };
  }
  if (call.divergence) {
    const certainty = read === null ? 'inferred' : 'observed';
    const isCostly = isDivergenceCostly(call, lost, available);
    return { divergence: call.divergence, miss: null, outcome, certainty, isCostly, expectedRead, rebilled };
  }
  const miss = missCause(call, { lost, available });
  if (miss && call.suspect && (miss.cause === 'provider_side' || miss.certainty === 'inferred')) {
    return {
      divergence: call.suspect,
      miss: null,
      outcome,
      certainty: 'inferred',
      isCostly: true,
      expectedRead,
      rebilled,
    };
  }
  const certainty = miss === null ? certaintyWithoutMiss(call) : miss.certainty;
  return {
    divergence: null,
    miss: miss?.cause ?? null,
    outcome,
    certainty,
    isCostly: miss?.isCostly ?? false,
    expectedRead,
    rebilled: miss === null && rebilled !== null ? 0 : rebilled,
  };
}

function rejectedVerdict(call: Judged): Verdict {
  const fault = rejectedMarks(call.prompt, call.rules);
  const plain = { outcome: 'unknown', certainty: 'observed', expectedRead: null, rebilled: null } as const;
  if (fault && call.status === 400) return { ...fault, ...plain, isCostly: true };
  return { divergence: null, miss: null, ...plain, isCostly: false };
}

/** Tokens that the baseline left in the cache for this prompt, had nothing changed; `null`: not known. */
function availableTokens(call: Judged): number | null {
  const { baseline, rules, simulation } = call;
  const usage = baseline?.outcome.usage ?? null;
  if (!baseline || !usage) return simulation?.longest?.tokens ?? null;
  if (call.isBaselineSummed) return null;
  if (call.isShared) return sharedAvailable(call, usage);
  if (usage.input < rules.minimumTokens) return 0;
  if (rules.style === 'explicit' || (rules.reportsWrites && (usage.cacheWrite ?? 0) > 0)) {
    return Math.min(usage.input, (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0));
  }
  // An Anthropic-style relay that reports neither reads nor writes says nothing about what it holds.
  if (baseline.api === 'anthropic.messages' && !usage.cacheRead && !usage.cacheWrite) return null;
  return floorTo(usage.input, rules.granularityTokens);
}

function sharedAvailable(call: Judged, usage: TokenUsage): number | null {
  if (call.rules.style === 'explicit') return call.simulation?.longest?.tokens ?? 0;
  const shared = floorTo(Math.min(call.sharedTokens, usage.input), call.rules.granularityTokens);
  return shared < call.rules.minimumTokens ? 0 : shared;
}

export function floorTo(tokens: number, granularity: number): number {
  return Math.floor(tokens / granularity) * granularity;
}

/** Contract §7: min(previous read + previous written − current read, current tokens not read). */
function rebilledTokens(call: Judged, available: number | null): number | null {
  const { usage } = call;
  if (usage === null || usage.cacheRead === null || available === null) return null;
  return Math.max(0, Math.min(available - usage.cacheRead, usage.input - usage.cacheRead));
}

function expectedReadOf(call: Judged, available: number | null): number | null {
  const { rules, simulation, baseline } = call;
  if (rules.style === 'explicit' && simulation) return simulation.expectedRead;
  if (!baseline) return 0;
  if (!baseline.outcome.usage) return null;
  if (call.divergence === null) return available;
  if (call.divergence.component === 'model') return 0;
  const shared = floorTo(
    Math.min(call.sharedTokens, available ?? call.sharedTokens),
    rules.granularityTokens,
  );
  return shared < rules.minimumTokens ? 0 : shared;
}

/** Reads wobble: by a block of the provider, and by a few percent where the cache is best effort. */
function toleranceOf(rules: CacheRules, available: number | null): number {
  return Math.max(
    rules.style === 'explicit' ? 16 : 128,
    rules.granularityTokens,
    (available ?? 0) * rules.noise,
  );
}

function outcomeOf(read: number | null, lost: boolean, available: number | null): Outcome {
  if (read === null) return 'unknown';
  if (read === 0) return 'miss';
  return lost && available !== null ? 'partial' : 'hit';
}

/** Harmless: usage shows that the read held; or nothing of this size is ever cached. */
function isDivergenceCostly(call: Judged, lost: boolean, available: number | null): boolean {
  const { usage, rules, baseline } = call;
  if (usage === null || usage.cacheRead === null) return true;
  if (usage.input < rules.minimumTokens && usage.cacheRead === 0) return false;
  if (available === null) return usage.cacheRead === 0;
  if (available > 0) return lost;
  // Nothing was in the cache before: it may be this very change, in each call, that keeps it empty.
  return usage.cacheRead === 0 && (baseline?.outcome.usage?.input ?? 0) >= rules.minimumTokens;
}

/** The last mark stands behind content that is another one in each request, and no earlier mark holds the stable part. */
function volatileMark(call: Judged): MarkFault | null {
  const { prompt, divergedAt } = call;
  if (call.rules.style !== 'explicit' || divergedAt === null || !call.before || !call.isShared) return null;
  const before = inRenderOrder(call.before.breakpoints).at(-1);
  const now = inRenderOrder(prompt.breakpoints).at(-1);
  if (!before || !now || before.segment < divergedAt || now.segment < divergedAt) return null;
  if ((call.usage?.cacheRead ?? 0) > 0 || call.sharedTokens < call.rules.minimumTokens) return null;
  return markFault('breakpoints.volatile_block', now.path, 'no_reachable_entry');
}

function faultOfMarks(call: Judged, lost: boolean): MarkFault | null {
  const { rules, prompt, usage, baseline, simulation } = call;
  if (rules.style !== 'explicit' || !baseline || usage === null) return null;
  const isLargeEnough = usage.input >= rules.minimumTokens;
  if (prompt.breakpoints.length === 0 && isLargeEnough && !usage.cacheRead) {
    return markFault('breakpoints.missing', missingMarkPath(call.before, prompt), 'no_breakpoint');
  }
  if (lost && simulation?.obstacle === 'no_reachable_entry') {
    const last = inRenderOrder(prompt.breakpoints).at(-1);
    return markFault('breakpoints.moved', last?.path ?? growingEndPath(prompt), 'no_reachable_entry');
  }
  return lost ? null : unmarkedGrowth(call);
}

/** Marks stand at the head alone, and a long conversation behind it is paid for again in each call. */
function unmarkedGrowth(call: Judged): MarkFault | null {
  const { baseline, prompt, rules, usage } = call;
  const before = baseline?.outcome.usage;
  if (!before || !usage || call.isShared || prompt.missingHistory) return null;
  const isHeadOnly =
    prompt.breakpoints.length > 0 && prompt.breakpoints.every(({ segment }) => segment < prompt.headLength);
  const resent = Math.min(before.uncached ?? 0, usage.uncached ?? 0);
  if (!isHeadOnly || resent < Math.max(rules.minimumTokens, 1_024)) return null;
  return markFault('breakpoints.missing', growingEndPath(prompt), 'no_breakpoint');
}

function certaintyWithoutMiss(call: Judged): Certainty {
  return call.usage?.cacheRead === null || call.usage === null ? 'unknown' : 'observed';
}
