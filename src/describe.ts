/** The last step of the pipeline: what was found out about a call, in the shape of the contract (design §7). */
import { floorTo } from './cache/available.ts';
import type { Verdict } from './cache/verdict.ts';
import { costOf, type Prices, rebilledCost } from './cost/prices.ts';
import type { CallCost, CallTokens, DiagnosedCall, Evidence, LayoutRun, SizedText } from './diagnosis.ts';
import type { FoundDivergence } from './divergence/find.ts';
import type { ExchangeRequest, ExchangeResponse } from './exchange.ts';
import { isSameHead, prefixAt } from './fingerprint/fingerprint.ts';
import type { Hasher } from './fingerprint/hash.ts';
import type { Baseline } from './lineage/choose.ts';
import type { Head } from './lineage/head.ts';
import type { Prompt, Segment } from './prompt/prompt.ts';
import type { TokenUsage } from './prompt/usage.ts';
import { readProviderVerdict } from './provider-verdict.ts';
import type { TokenScale } from './tokens/estimate.ts';
import { floorOf } from './tokens/floor.ts';

export interface Described {
  readonly request: ExchangeRequest;
  readonly response: ExchangeResponse | undefined;
  readonly head: Head;
  /** The call's own: the head's may be dropped already. */
  readonly prompt: Prompt;
  readonly baseline: Baseline | null;
  readonly found: FoundDivergence | null;
  /** Length of the prefix shared with the baseline, in segments. */
  readonly shared: number;
  readonly usage: TokenUsage | null;
  readonly scale: TokenScale;
  readonly verdict: Verdict;
  readonly expected: string | null;
  readonly lifetimeMs: number | null;
  readonly prices: Prices;
  readonly hasher: Hasher;
}

export function describe(call: Described): DiagnosedCall {
  const { request, response, head, baseline, verdict, expected } = call;
  const tokens = tokensOf(call);
  const scope = {
    thread: head.thread ?? null,
    phase: request.scope.phase ?? request.suggestedScope?.phase ?? null,
    delegation: request.scope.delegation ?? request.suggestedScope?.delegation ?? null,
  };
  return {
    diagnosis: {
      index: head.index,
      source: null,
      at: head.facts.atMs === null ? null : new Date(head.facts.atMs).toISOString(),
      api: request.api,
      model: response?.model ?? head.facts.model,
      scope,
      lineage: head.lineage,
      turn: head.turn,
      baseline: baseline?.head.index ?? null,
      divergence: verdict.divergence,
      miss: verdict.miss,
      expected,
      outcome: verdict.outcome,
      certainty: verdict.certainty,
      finding: expected === null && verdict.isCostly,
      tokens,
      cost: costOfCall(call, tokens.rebilled),
      provider: readProviderVerdict(response?.diagnostics, verdict.divergence, verdict.miss),
    },
    evidence: evidenceOf(call),
  };
}

function tokensOf({ usage, scale, verdict, shared, baseline, found }: Described): CallTokens {
  const input = usage?.input ?? scale.total;
  const hasDiverged = verdict.divergence !== null && found !== null;
  const sharedTokens = baseline ? Math.min(scale.before(shared), input) : 0;
  return {
    input,
    cacheRead: usage?.cacheRead ?? null,
    cacheWrite: usage?.cacheWrite ?? null,
    uncached: usage?.uncached ?? null,
    expectedRead: verdict.expectedRead === null ? null : floorTo(verdict.expectedRead, 1),
    shared: sharedTokens,
    behind: hasDiverged ? input - sharedTokens : 0,
    rebilled: verdict.rebilled,
    method: scale.method,
  };
}

function costOfCall({ usage, prices, response, head }: Described, rebilled: number | null): CallCost | null {
  const model = response?.model ?? head.facts.model;
  if (!usage || !model) return null;
  const found = prices.find(model, usage.input, head.facts.atMs);
  if (!found) return null;
  return {
    usd: costOf(usage, found.price),
    rebilledUsd: rebilled === null ? null : rebilledCost(rebilled, usage, found.price),
    priceModel: found.model,
    priceDate: found.date,
  };
}

/** Characters on each side of a change: enough to recognise it, too little to read a prompt by. */
const EXCERPT_CHARACTERS = 160;

function evidenceOf({
  request,
  response,
  head,
  prompt,
  baseline,
  found,
  shared,
  scale,
  usage,
  verdict,
  lifetimeMs,
  hasher,
}: Described): Evidence {
  const { fingerprint } = head;
  const span = found?.difference?.span;
  const around = (text: string, start: number) =>
    text.slice(Math.max(0, start - EXCERPT_CHARACTERS / 4), start + EXCERPT_CHARACTERS);
  const startMs = request.atMs;
  const since = (timeMs: number | undefined) =>
    startMs === undefined || timeMs === undefined ? null : timeMs - startMs;
  const layout = layoutOf(head, scale, baseline ? shared : 0);
  return {
    layout,
    componentTokens: componentTokens(layout),
    floor: hasNewHead(head, baseline) ? floorOf(prompt, scale) : null,
    requestModel: head.facts.model,
    prefixHash: hexOf(prefixAt(fingerprint, fingerprint.chain.length - 1, hasher)),
    excerpt: span
      ? { before: around(span.oldText, span.start), after: around(span.newText, span.start) }
      : null,
    change: verdict.divergence === null ? null : changeOf(found, hasher),
    lifetimeMs,
    outputTokens: usage?.output ?? null,
    timeToFirstByteMs: since(response?.firstByteAtMs),
    durationMs: since(response?.completedAtMs),
  };
}

function changeOf(found: FoundDivergence | null, hasher: Hasher): Evidence['change'] {
  const difference = found?.difference;
  if (!difference) return null;
  const { old, new: now } = difference.leaf;
  const isInside = difference.old !== undefined && difference.new !== undefined;
  return isInside
    ? { before: sized(old?.text, hasher), after: sized(now?.text, hasher) }
    : {
        before: sized(textOfSegment(difference.old), hasher),
        after: sized(textOfSegment(difference.new), hasher),
      };
}

function textOfSegment(segment: Segment | undefined): string | undefined {
  return segment?.leaves.map(({ text }) => text).join('\n');
}

function sized(text: string | undefined, hasher: Hasher): SizedText | null {
  if (text === undefined) return null;
  return { bytes: Buffer.byteLength(text), hash: hexOf(hasher.text(text)) };
}

function hasNewHead({ fingerprint }: Head, baseline: Baseline | null): boolean {
  return baseline?.relation !== 'continues' || !isSameHead(fingerprint, baseline.head.fingerprint);
}

const COMPONENTS = ['model', 'tools', 'system', 'parameters', 'messages'] as const;

function hexOf(hash: bigint): string {
  return hash.toString(16).padStart(16, '0');
}

function layoutOf({ fingerprint }: Head, scale: TokenScale, shared: number): LayoutRun[] {
  const runs: LayoutRun[] = [];
  let from = 0;
  const size = fingerprint.components.length;
  for (let index = 1; index <= size; index += 1) {
    const isBorder =
      index === size || fingerprint.components[index] !== fingerprint.components[from] || index === shared;
    if (!isBorder) continue;
    const component = COMPONENTS[fingerprint.components[from] as number] ?? 'messages';
    const tokens = scale.between(from, index);
    if (tokens > 0) runs.push({ component, tokens, segments: index - from, shared: from < shared });
    from = index;
  }
  return runs;
}

function componentTokens(layout: readonly LayoutRun[]): Evidence['componentTokens'] {
  const totals = { tools: 0, system: 0, messages: 0 };
  for (const { component, tokens } of layout)
    if (component === 'tools' || component === 'system' || component === 'messages')
      totals[component] += tokens;
  return totals;
}
