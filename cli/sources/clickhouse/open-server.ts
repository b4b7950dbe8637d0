/** `--source clickhouse://…` with its range of time → sums of that server, and its connection closed again. */
import type { CommandContext } from '../../command-context.ts';
import { UserError } from '../../errors.ts';
import { startProgressLine } from '../../terminal/progress-line.ts';
import type { ServerOptions } from '../server-options.ts';
import { parseClickhouseAddress } from './address.ts';
import { createAsker } from './asker.ts';
import { type ClickhouseSummary, clickhouseSummary } from './clickhouse-summary.ts';
import { connectClickhouse } from './client.ts';
import { parseTimeRange, rangeInWords } from './time-range.ts';

export interface OpenServer {
  /** Without credentials. */
  readonly name: string;
  readonly summary: ClickhouseSummary;
  /** Calls may still come. */
  readonly isLive: boolean;
}

export async function withServer<T>(
  named: string | readonly string[],
  { source = '', since, until }: ServerOptions,
  context: Pick<CommandContext, 'env' | 'stderr'>,
  use: (server: OpenServer) => Promise<T>,
): Promise<T> {
  if (named.length > 0)
    throw new UserError('--source names a server: leave the files out, or leave --source out');
  const address = parseClickhouseAddress(source, context.env);
  const range = parseTimeRange(since ?? address.since, until ?? address.until, Date.now());
  const connection = await connectClickhouse(address);
  const line = startProgressLine(context, () => `asking ${address.name} …`);
  try {
    return await use({
      name: `${address.name}, ${rangeInWords(range, since ?? address.since)}`,
      summary: clickhouseSummary(createAsker(connection.run, address, range)),
      isLive: range.untilMs === null,
    });
  } finally {
    line.erase();
    await connection.close();
  }
}
