/** A port that a person named: read, and why it could not be listened on. */
import { UserError } from './errors.ts';

export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw new UserError(`cannot listen on port ${text}: expected a number from 0 to 65535`);
}

export function cannotListen(port: number, error: unknown): UserError {
  const { code, message } = error as NodeJS.ErrnoException; // Node's network errors have a code
  const problem = {
    EADDRINUSE: 'it is taken; stop what uses it, or name another port',
    EACCES: 'permission denied',
  };
  return new UserError(`cannot listen on port ${port}: ${problem[code as keyof typeof problem] ?? message}`, {
    cause: error,
  });
}
