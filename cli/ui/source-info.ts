/** What the screens say about where their calls come from. */
export interface SourceInfo {
  readonly name: string;
  readonly isLive: boolean;
  /** Lines and calls that could not be read so far. */
  readonly problems: number;
}
