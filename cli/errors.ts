/**
 * Errors that a person caused and can mend: a wrong option, a file that is not there.
 * They print as one line and exit with 2; everything else is a bug of ours and says so.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly code = 'user_error';
}

/** The reason behind a file system error in words: `ENOENT` tells a person little. */
export function fileProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
      return 'no such file';
    case 'EISDIR':
      return 'it is a directory';
    case 'ENOTDIR':
      return 'a part of its path is not a directory';
    case 'ELOOP':
      return 'its links go in a circle';
    case 'ENXIO':
      return 'it is a socket, not a file';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
