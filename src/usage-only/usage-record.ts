/** One call of which only the usage is known: what a session transcript without request bodies holds of it. */
import type { Api } from '../exchange.ts';
import type { TokenUsage } from '../prompt/usage.ts';

export interface UsageRecord {
  /** `file:line` */
  readonly source: string;
  readonly atMs: number | null;
  readonly api: Api;
  readonly model: string | null;
  readonly usage: TokenUsage;
  /** A session, or a side chain of one. Calls of different conversations are never compared. */
  readonly conversation: string;
  /** The history was replaced by a summary since the call before. */
  readonly isCompacted: boolean;
  /** A person spoke since the call before. */
  readonly startsTurn: boolean;
}
