/** Rewrites that are meant: declared by the application, or known for what they are. They cost, and are no finding. */
import type { Verdict } from './cache/verdict.ts';
import type { ExchangeRequest } from './exchange.ts';
import type { Baseline } from './lineage/choose.ts';
import type { Prompt } from './prompt/prompt.ts';
import type { TokenUsage } from './prompt/usage.ts';

export interface MaybeExpected {
  readonly request: ExchangeRequest;
  readonly prompt: Prompt;
  readonly baseline: Baseline | null;
  readonly usage: TokenUsage | null;
  readonly verdict: Verdict;
}

export function expectedRewrite({ request, prompt, baseline, usage, verdict }: MaybeExpected): string | null {
  const hasHappened = verdict.divergence !== null || verdict.miss !== null;
  if (request.expectedRebuild !== undefined && hasHappened) return request.expectedRebuild;
  if (!baseline || !hasHappened) return null;
  const { head, relation } = baseline;
  // Another model cannot share this cache, whatever it is sent; the same model could have.
  if (relation === 'side_call' && verdict.divergence?.component === 'model') return 'side_call';
  if (head.wasSummarised && verdict.divergence?.kind === 'messages.compacted') return 'compaction';
  const hasShrunk = usage !== null && head.outcome.usage !== null && usage.input < head.outcome.usage.input;
  return prompt.isServerEdited && hasShrunk && verdict.divergence === null ? 'server_side_compaction' : null;
}
