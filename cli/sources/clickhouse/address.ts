/**
 * `clickhouse://[user[:password]@]host[:port]/database?table=…&view=…` → where a server is and what to ask it.
 * The name that is shown and the messages of errors never hold the user's password.
 */
import { UserError } from '../../errors.ts';

export interface ClickhouseAddress {
  /** Of the HTTP interface, without credentials. */
  readonly url: string;
  readonly user: string | null;
  readonly password: string | null;
  readonly database: string;
  readonly table: string;
  /** Keeps the spans of calls in columns (docs/clickhouse.md); `null`: the spans are read where the collector put them. */
  readonly view: string | null;
  /** For titles. */
  readonly name: string;
}

const CLICKHOUSE_SCHEME = 'clickhouse:';
const SECURE_SCHEME = 'clickhouses:';

const FORM = 'clickhouse://user@host:8123/database?table=otel_traces';
const PORTS = { http: 8123, https: 8443 } as const;
const OPTIONS: ReadonlySet<string> = new Set(['table', 'view', 'since', 'until']);

function isClickhouseAddress(text: string): boolean {
  return text.startsWith(`${CLICKHOUSE_SCHEME}//`) || text.startsWith(`${SECURE_SCHEME}//`);
}

export function parseClickhouseAddress(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): ClickhouseAddress & { readonly since: string | undefined; readonly until: string | undefined } {
  if (!isClickhouseAddress(text)) throw new UserError(`--source takes an address like ${FORM}`);
  const protocol = text.startsWith(SECURE_SCHEME) ? 'https' : 'http';
  // Of schemes that it does not know, URL reads less than of http.
  const url = parsed(text.replace(/^clickhouses?:/, 'http:'));
  for (const option of url.searchParams.keys()) {
    if (!OPTIONS.has(option))
      throw new UserError(`--source has no option ${option}: there are ${[...OPTIONS].join(', ')}`);
  }
  const port = url.port === '' ? (/:80(?:\/|\?|$)/.test(text) ? '80' : String(PORTS[protocol])) : url.port;
  const database = decoded(url.pathname.slice(1)) || 'default';
  const table = url.searchParams.get('table') || 'otel_traces';
  return {
    url: `${protocol}://${url.hostname}:${port}`,
    user: decoded(url.username) || env.CLICKHOUSE_USER || null,
    password: decoded(url.password) || env.CLICKHOUSE_PASSWORD || null,
    database,
    table,
    view: url.searchParams.get('view') || null,
    name: `clickhouse://${url.hostname}:${port}/${database}/${table}`,
    since: url.searchParams.get('since') ?? undefined,
    until: url.searchParams.get('until') ?? undefined,
  };
}

function parsed(text: string): URL {
  try {
    return new URL(text);
  } catch {
    // The address may hold a password: it is not repeated.
    throw new UserError(`the address after --source cannot be read; it should look like ${FORM}`);
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
