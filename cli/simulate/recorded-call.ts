/** A call of the recording, with all that is needed to send it through the rules again in another form. */
import type { TokenMethod } from '../../src/diagnosis.ts';
import type { ExchangeRequest } from '../../src/exchange.ts';
import type { TokenUsage } from '../../src/prompt/usage.ts';

export interface RecordedCall {
  /** The body as JSON text: a recording is held whole, and text takes the least room. */
  readonly request: ExchangeRequest & { readonly body: string };
  readonly firstByteAtMs: number | null;
  /** The model that answered: it is the one that is billed. */
  readonly model: string | null;
  readonly lineage: string;
  /** Nothing that it continues was recorded: what it read was cached before the recording began. */
  readonly isFirstSight: boolean;
  readonly inputTokens: number;
  /** Tokens a character of its messages, as the diagnosis shared them out: what moves there from the head keeps its size. */
  readonly messageRate: number | null;
  readonly method: TokenMethod;
  readonly usage: TokenUsage | null;
  /** Of the call as it was recorded; `null`: unknown. */
  readonly usd: number | null;
}
