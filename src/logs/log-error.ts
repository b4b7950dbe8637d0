/** A log as a whole cannot be read. A bad line in a good log is a `SkippedLine` instead. */
export class LogError extends Error {
  override readonly name = 'LogError';
  readonly code = 'unreadable_log';
}

export interface SkippedLine {
  /** `file:line` */
  readonly source: string;
  readonly reason: string;
}
