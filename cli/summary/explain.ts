/**
 * One call's loss in labelled lines: where, why, how much, what to do, what else, what the provider said.
 * The text report, the Markdown report and the viewer's detail all print these.
 */
import type { Certainty, Miss } from '../../src/diagnosis.ts';
import { formatDuration, formatTokens, formatUsd } from '../terminal/format.ts';
import { idleBeforeMs } from './groups.ts';
import { phraseFor } from './phrases.ts';
import type { CallsByIndex, ReportedCall } from './reported-call.ts';

export interface Fact {
  readonly name: 'at' | 'why' | 'cost' | 'do' | 'then' | 'vendor' | 'before' | 'after';
  readonly text: string;
}

export function explain(call: ReportedCall, callsByIndex: CallsByIndex = new Map()): Fact[] {
  return [
    fact('at', placeOf(call)),
    fact('why', whyOf(call, callsByIndex)),
    fact('before', call.excerpt?.before),
    fact('after', call.excerpt?.after),
    fact('cost', costOf(call)),
    fact('do', adviceFor(call)),
    fact('then', alsoOf(call)),
    fact('vendor', vendorOf(call)),
  ].filter((part) => part !== null);
}

function fact(name: Fact['name'], text: string | null | undefined): Fact | null {
  return text === null || text === undefined || text === '' ? null : { name, text };
}

/** `system[0].text, byte 22 · system block 1` */
export function placeOf({ divergence }: ReportedCall): string | null {
  if (divergence === null) return null;
  const byte = divergence.byteOffset === null ? '' : `, byte ${divergence.byteOffset}`;
  const label =
    divergence.label === '' || divergence.label === divergence.path ? '' : ` · ${divergence.label}`;
  return `${divergence.leaf || divergence.path}${byte}${label}`;
}

function whyOf(call: ReportedCall, callsByIndex: CallsByIndex): string | null {
  const reasons: string[] = [];
  if (call.expected !== null) reasons.push(`meant: ${phraseFor(call.expected)}`);
  if (call.divergence !== null) reasons.push(phraseFor(call.divergence.kind));
  if (call.miss !== null) reasons.push(missPhrase(call, callsByIndex));
  if (reasons.length === 0 && call.finding) reasons.push(phraseFor('unexplained'));
  return reasons.length === 0 ? null : reasons.join('; ');
}

function missPhrase(call: ReportedCall, callsByIndex: CallsByIndex): string {
  const miss = call.miss ?? '';
  const idleMs = miss === 'ttl_expired' ? idleBeforeMs(call, callsByIndex) : null;
  return idleMs === null
    ? phraseFor(miss)
    : `${phraseFor(miss)}: ${formatDuration(idleMs)} since the call before`;
}

/** `18,176 tokens billed again, $0.09` */
function costOf(call: ReportedCall): string | null {
  const { rebilled, method } = call.tokens;
  if (rebilled === null) return call.finding ? 'unknown: the response reports no usage' : null;
  if (rebilled === 0) {
    if (call.divergence === null) return null;
    return call.outcome === 'hit' ? 'nothing: the cache held' : 'nothing that could have been read back';
  }
  const mark = method === 'usage' ? '' : '~';
  const usd = call.cost?.rebilledUsd ?? null;
  const money =
    usd === null ? 'no price known for this model' : `${mark}${formatUsd(usd)} more than a cache read`;
  return `${mark}${formatTokens(rebilled)} tokens billed again, ${money}`;
}

const MISS_ADVICE: Readonly<Record<Miss, string>> = {
  no_breakpoint: 'set a cache mark on the last block that stays the same',
  no_reachable_entry: 'keep a mark where the call before had its last one',
  request_rejected: 'mend the request; a rejected one writes nothing',
  lookback_exceeded: 'set another mark in between: a mark looks back over at most 20 blocks',
  ttl_expired: 'ask for the longer lifetime where pauses are usual, or keep calls closer together',
  below_minimum: 'nothing to mend: the prompt is shorter than what this model caches',
  routing: 'send a stable cache key, and pin the upstream where there is an aggregator',
  account_or_region_changed: 'keep one conversation on one account and region',
  concurrent_before_write: 'let the first call begin to answer before the others go out',
  server_strips_thinking: 'nothing to mend: this model drops earlier thinking',
  provider_side: 'nothing to mend in the prompt',
};

export function adviceFor(call: ReportedCall): string | null {
  // It was meant: nothing to do.
  if (call.expected !== null) return null;
  if (call.divergence?.advice) return call.divergence.advice;
  return call.miss === null ? null : MISS_ADVICE[call.miss];
}

function alsoOf({ divergence }: ReportedCall): string | null {
  const others = divergence?.also ?? [];
  if (others.length === 0) return null;
  return `${others.map(({ kind, path }) => `${kind} at ${path}`).join('; ')} (hidden behind this one)`;
}

function vendorOf({ provider }: ReportedCall): string | null {
  if (provider === null) return null;
  const tokens = provider.tokens === null ? '' : `, about ${formatTokens(provider.tokens)} tokens`;
  const agrees = provider.agrees === null ? '' : provider.agrees ? ' · agrees' : ' · does not agree';
  return `${provider.reason}${tokens}${agrees}`;
}

const CERTAINTIES: Readonly<Record<Certainty, string>> = {
  observed: 'certain: usage shows it',
  inferred: "likely: by the provider's rules",
  unknown: 'not sure',
};

export function certaintyInWords(call: ReportedCall): string {
  if (call.certainty === 'observed' && call.provider?.agrees === true)
    return 'certain: usage and provider agree';
  return CERTAINTIES[call.certainty];
}

/** `wedding-42 › researcher › sub 3`; the lineage's name where nothing was declared. */
export function scopeInWords(call: ReportedCall): string {
  const { thread, phase, delegation } = call.scope;
  const parts = [thread, phase, delegation].filter((part) => part !== null && part !== '');
  return parts.length === 0 ? call.lineage : parts.join(' › ');
}
