/** What becomes of the heads when a call is over. */
import type { ExchangeResponse } from '../exchange.ts';
import { COMPONENT_CODES, sharedPrefix } from '../fingerprint/fingerprint.ts';
import type { MissingHistory } from '../prompt/prompt.ts';
import type { TokenUsage } from '../prompt/usage.ts';
import type { Baseline } from './choose.ts';
import { type Head, headOutcome, mayBeBaseline } from './head.ts';
import type { Heads } from './heads.ts';
import { historyKey } from './history.ts';

const MODEL_CODE = COMPONENT_CODES.indexOf('model');

export interface Settled {
  readonly head: Head;
  readonly baseline: Baseline | null;
  readonly missingHistory: MissingHistory | null;
  readonly response: ExchangeResponse | undefined;
  readonly usage: TokenUsage | null;
}

export interface Settlement {
  /** The baseline is no head any more. */
  readonly hasReplaced: boolean;
  /** By which the next request may name this call. */
  readonly name: string | null;
}

/** The call takes its place as the head of its lineage; a failed one (`null`) leaves everything as it was. */
export function settle(
  { head, baseline, missingHistory, response, usage }: Settled,
  heads: Heads,
): Settlement | null {
  if (!mayBeBaseline(response)) {
    heads.remove(head);
    return null;
  }
  head.outcome = headOutcome(response, usage);
  // An identical prompt may be another conversation that opens with the same words, or another model's answer to them to
  // choose from: both may go on.
  const hasReplaced = baseline?.relation === 'continues' && !isRepeated(head, baseline.head);
  if (hasReplaced) heads.remove(baseline.head);
  if (baseline?.relation === 'side_call') baseline.head.wasSummarised = true;
  const name = nameOf(missingHistory, response);
  if (name !== null) heads.rememberResponse(name, head);
  return { hasReplaced, name };
}

function nameOf(history: MissingHistory | null, response: ExchangeResponse | undefined): string | null {
  if (history?.reason === 'conversation') return historyKey('conversation', history.id);
  return response?.id ? historyKey('response', response.id) : null;
}

function isRepeated({ fingerprint: now }: Head, { fingerprint: before }: Head): boolean {
  if (now.chain.length !== before.chain.length) return false;
  if (sharedPrefix(before, now) === now.chain.length) return true;
  return now.content.every((hash, at) => hash === before.content[at] || now.components[at] === MODEL_CODE);
}
