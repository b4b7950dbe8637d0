/** What a server or the way to it answers when it cannot → one line that says what to do. Credentials never enter it. */
import { UserError } from '../../errors.ts';
import type { ClickhouseAddress } from './address.ts';
import { hoursTableOf } from './asker.ts';

export function queryProblem(
  error: unknown,
  { url, database, table, view, user }: ClickhouseAddress,
): UserError {
  const { code, text } = factsOf(error);
  const say = (line: string) => new UserError(line, { cause: error });
  switch (code) {
    case '60':
      return say(
        `no table ${database}.${view ?? table} on ${url}: name it with ?table=…${view === null ? '' : ' and ?view=…'}, or let the collector's ClickHouse exporter make it`,
      );
    case '81':
      return say(
        `no database ${database} on ${url}: name it in the address, clickhouse://host:8123/DATABASE`,
      );
    case '47':
    case '8':
      return say(
        `${database}.${view ?? table} has not the columns that are read${view === null ? " of the collector's ClickHouse exporter" : '; make the view anew as docs/clickhouse.md says'}: ${text}`,
      );
    case '516':
    case '192':
    case '193':
    case '194':
      return say(
        `${url} refused ${user === null ? 'the default user' : `user ${user}`}: set the user in the address and the password in CLICKHOUSE_PASSWORD`,
      );
    case '497':
      return say(
        `${user ?? 'the default user'} may not read ${database}.${view ?? table} on ${url}: GRANT SELECT on it${view === null ? '' : ` and on ${hoursTableOf(view)}`}`,
      );
    case '164':
      return say(
        `${user ?? 'the default user'} may not set limits on ${url}: give it readonly = 2 instead of 1`,
      );
    case '159':
    case '209':
    case 'TIMEOUT':
      return say(
        `${url} took too long: ask for less with --since, or make the view of docs/clickhouse.md and name it with ?view=…`,
      );
    case '241':
    case '396':
    case '158':
      return say(`${url} stopped the query at its limits: ask for less with --since`);
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'ECONNRESET':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return say(
        `cannot reach ${url} (${code}): is it the server's HTTP port, 8123 or with TLS (clickhouses://) 8443?`,
      );
    default:
      return say(`${url} answered: ${text}`);
  }
}

function factsOf(error: unknown): { readonly code: string; readonly text: string } {
  if (!(error instanceof Error)) return { code: '', text: String(error) };
  const own = 'code' in error ? String(error.code) : '';
  const inside = /\bCode: (\d+)\b/.exec(error.message)?.[1];
  const inner = error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : '';
  const code = [own, inner].find((word) => /^\d+$|^E[A-Z]/.test(word)) ?? inside ?? '';
  const [text = ''] = error.message.split('\n');
  return { code: /^timeout/i.test(text) ? 'TIMEOUT' : code, text: text.slice(0, MOST_CHARACTERS) };
}

const MOST_CHARACTERS = 300;
