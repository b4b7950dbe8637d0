/** A log as a whole cannot be read. A bad line in a good log is a `SkippedLine` instead. */
export class LogError extends Error {
  override readonly name = 'LogError';
  readonly code = 'unreadable_log';
}

/** What a refused file should have been, for the end of a line. */
export const EXPECTED_FORMATS =
  'expected an exchange log (one {"api":…,"body":{…}} a line) or recorded traffic of a known client';

export interface SkippedLine {
  /** `file:line` */
  readonly source: string;
  readonly reason: string;
}
