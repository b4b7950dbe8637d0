/** ClickHouse inside the test (`chdb`), behind the same function that the client over HTTP is. */
import { createRequire } from 'node:module';
import { QUERY_SETTINGS, type Row, type RunQuery } from '../../../cli/sources/clickhouse/run-query.ts';

interface Session {
  query(sql: string, format?: string): string;
  queryBind(sql: string, params: object, format?: string): string;
  cleanup(): void;
}

export interface Engine {
  readonly run: RunQuery;
  command(sql: string): void;
  /** The answer as the query's own format has it. */
  text(sql: string): string;
  close(): void;
}

const chdb = load();
export const hasEngine = chdb !== undefined;
/** For the names of tests. */
export const engineWord = hasEngine ? '' : ' (skipped: chdb does not load here)';

function load(): { readonly Session: new (path?: string) => Session } | undefined {
  try {
    return createRequire(import.meta.url)('chdb');
  } catch {
    return undefined;
  }
}

export function startEngine(): Engine {
  if (chdb === undefined) throw new Error('chdb does not load here');
  const session = new chdb.Session();
  const settings = Object.entries(QUERY_SETTINGS)
    .map(([name, value]) => `${name} = ${typeof value === 'number' ? value : `'${value}'`}`)
    .join(', ');
  return {
    run: async (sql, params) =>
      rowsOf(session.queryBind(`${sql}\nSETTINGS ${settings}`, params, 'JSONEachRow')),
    command: (sql) => {
      session.query(sql);
    },
    text: (sql) => session.query(sql),
    close: () => session.cleanup(),
  };
}

function rowsOf(lines: string): Row[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}
