/** `@clickhouse/client`, where it is installed, as the way to run queries. It is imported when a server is named, not before. */
import { UserError } from '../../errors.ts';
import type { ClickhouseAddress } from './address.ts';
import { queryProblem } from './problems.ts';
import { QUERY_SETTINGS, type Row, type RunQuery } from './run-query.ts';

export interface ClickhouseConnection {
  readonly run: RunQuery;
  close(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 90_000;

export async function connectClickhouse(
  address: ClickhouseAddress,
  load: () => Promise<typeof import('@clickhouse/client')> = () => import('@clickhouse/client'),
): Promise<ClickhouseConnection> {
  const { createClient, ClickHouseLogLevel } = await load().catch((error: unknown) => {
    throw new UserError('reading from ClickHouse needs its client: npm install @clickhouse/client', {
      cause: error,
    });
  });
  const client = createClient({
    url: address.url,
    ...(address.user === null ? {} : { username: address.user }),
    ...(address.password === null ? {} : { password: address.password }),
    application: 'prefixtrace',
    request_timeout: REQUEST_TIMEOUT_MS,
    compression: { response: true, request: false },
    clickhouse_settings: QUERY_SETTINGS,
    // It would write what went wrong to the terminal, beside our own line.
    log: { level: ClickHouseLogLevel.OFF },
  });
  return {
    run: async (query, params) => {
      try {
        const result = await client.query({ query, query_params: { ...params }, format: 'JSONEachRow' });
        return await result.json<Row>();
      } catch (error) {
        throw queryProblem(error, address);
      }
    },
    close: () => client.close(),
  };
}
