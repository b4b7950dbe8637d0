/** What the screens know besides the calls: where they come from, and what tokens cost. */
import type { FloorPrice } from '../floor/floor-price.ts';
import type { ReportedCall } from '../summary/reported-call.ts';

export interface SourceInfo {
  readonly name: string;
  readonly isLive: boolean;
  /** What to do so that calls come, where that is not plain from the name. */
  readonly hint: string | null;
  /** Lines and calls that could not be read so far. */
  readonly problems: number;
  /** From 0 to 1, while reading; `null` where it is not known. */
  readonly readShare: number | null;
  readonly priceOf: (call: ReportedCall) => FloorPrice | null;
}
