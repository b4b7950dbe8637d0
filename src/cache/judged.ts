/** All that a verdict is made from: the call, its baseline, how they compare, and what the rules say. */
import type { Divergence } from '../diagnosis.ts';
import type { Head } from '../lineage/head.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { TokenUsage } from '../prompt/usage.ts';
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
  /** Tokens of it up to its last mark; 0 where no mark stands in it. */
  readonly sharedMarkedTokens: number;
  /** Implicit caches, where the prompt changed: what an earlier call than the baseline left of this very prompt. */
  readonly passedTokens: number;
  /** Explicit caches: what the rules say. */
  readonly simulation: Simulation | null;
  /** A changed setting without documented effect, or another model behind an alias: blamed where nothing else is. */
  readonly suspect: Divergence | null;
  /** The baseline's usage is a sum over several inner runs of the model (server-side tools): it bounds nothing. */
  readonly isBaselineSummed: boolean;
  /** Tokens of the baseline's head up to its last mark: what another conversation could have read of it. */
  readonly siblingHeadTokens: number;
  /** Routing header of the baseline, by the name that the provider documents. */
  readonly routingBefore: string | null;
}
