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

/** The call takes its place as the head of its lineage; a failed one leaves everything as it was. True if it took it. */
export function settle({ head, baseline, missingHistory, response, usage }: Settled, heads: Heads): boolean {
  if (!mayBeBaseline(response)) {
    heads.remove(head);
    return false;
  }
  head.outcome = headOutcome(response, usage);
  // An identical prompt may be another conversation that opens with the same words, or another model's answer to them to
  // choose from: both may go on.
  if (baseline?.relation === 'continues' && !isRepeated(head, baseline.head)) heads.remove(baseline.head);
  if (baseline?.relation === 'side_call') baseline.head.wasSummarised = true;
  if (missingHistory?.reason === 'conversation') {
    heads.rememberResponse(historyKey('conversation', missingHistory.id), head);
  } else if (response?.id) {
    heads.rememberResponse(historyKey('response', response.id), head);
  }
  return true;
}

function isRepeated({ fingerprint: now }: Head, { fingerprint: before }: Head): boolean {
  if (now.chain.length !== before.chain.length) return false;
  if (sharedPrefix(before, now) === now.chain.length) return true;
  return now.content.every((hash, at) => hash === before.content[at] || now.components[at] === MODEL_CODE);
}
