/** What the commands that can ask a server share on the command line. */
import { UserError } from '../errors.ts';

export interface ServerOptions {
  readonly source?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Without a server nothing would heed them, and a report of all calls would pass for one of a day. */
export function refuseRange({ since, until }: ServerOptions): void {
  if (since !== undefined || until !== undefined)
    throw new UserError(`--${since === undefined ? 'until' : 'since'} goes with --source clickhouse://…`);
}
