/** What the screens say about where their calls come from. */
export interface SourceInfo {
  readonly name: string;
  readonly isLive: boolean;
  /** What to do so that calls come, where that is not plain from the name. */
  readonly hint: string | null;
  /** Lines and calls that could not be read so far. */
  readonly problems: number;
  /** From 0 to 1, while reading; `null` where it is not known. */
  readonly readShare: number | null;
}
