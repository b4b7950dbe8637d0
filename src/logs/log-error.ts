/** A log as a whole cannot be read. A bad line in a good log is a `SkippedLine` instead. */
export class LogError extends Error {
  override readonly name: string = 'LogError';
  readonly code = 'unreadable_log';
}

/** The file is no log at all: among others in a folder it is passed over, and nothing is missing. */
export class ForeignLogError extends LogError {
  override readonly name = 'ForeignLogError';
}

/** What is wrong with a file, for a note that names the file and was not the only one to be read. */
export function withoutPlace(error: LogError, file: string): string {
  return error.message
    .replace(file, '')
    .replace(/^[\s:\d]+/, '')
    .replace(/;? expected .*$/, '');
}

/** What a refused file should have been, for the end of a line. */
export const EXPECTED_FORMATS =
  'expected an exchange log (one {"api":…,"body":{…}} a line) or recorded traffic of a known client';

export interface SkippedLine {
  /** `file:line` */
  readonly source: string;
  readonly reason: string;
}
