import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { run } from '../../cli/run.ts';
import { parseClickhouseAddress } from '../../cli/sources/clickhouse/address.ts';
import { connectClickhouse } from '../../cli/sources/clickhouse/client.ts';
import { parseTimeRange, rangeInWords } from '../../cli/sources/clickhouse/time-range.ts';
import { capturedContext } from '../cli/captured-context.ts';

const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

interface Asked {
  readonly sql: string;
  readonly search: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

/** Answers as a ClickHouse server does over HTTP. */
async function serve(answer: (asked: Asked, response: ServerResponse) => void) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const sql = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
      const search = new URL(request.url ?? '', 'http://x').searchParams;
      const one = { sql, search, headers: request.headers };
      asked.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closes.push(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  return { asked, port };
}

function fail(response: ServerResponse, status: number, code: number, text: string): void {
  response.writeHead(status, { 'x-clickhouse-exception-code': String(code) });
  response.end(`Code: ${code}. DB::Exception: ${text}. (NAME_OF_IT) (version 26.7.2.1)`);
}

async function command(port: number, words: readonly string[], env: Record<string, string> = {}, place = '') {
  const context = capturedContext({ env: { NO_COLOR: '1', ...env } });
  const code = await run(
    [...words, '--source', `clickhouse://reader:hunter2@127.0.0.1:${port}/otel${place}`],
    context,
  );
  return { code, out: context.out(), err: context.err() };
}

describe('the client over HTTP', () => {
  it('sends values as parameters, with limits, credentials in headers, and takes a compressed answer', async () => {
    const { port, asked } = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/x-ndjson' });
      response.end(gzipSync('{"one":1,"text":"ü"}\n{"one":2,"text":""}\n'));
    });
    const address = parseClickhouseAddress(`clickhouse://reader:p%40ss@127.0.0.1:${port}/otel`, {});
    const connection = await connectClickhouse(address);
    closes.push(() => connection.close());
    const rows = await connection.run('SELECT {name:String}, {list:Array(String)}, {n:Int64}', {
      name: "it's\n",
      list: ["a'", 'b'],
      n: 5,
    });
    expect(rows).toEqual([
      { one: 1, text: 'ü' },
      { one: 2, text: '' },
    ]);
    const [question] = asked;
    expect(question?.sql).toContain('SELECT {name:String}, {list:Array(String)}, {n:Int64}');
    expect(question?.search.get('param_name')).toBe("it\\'s\\n");
    expect(question?.search.get('param_list')).toBe("['a\\'','b']");
    expect(question?.search.get('param_n')).toBe('5');
    expect(question?.search.get('max_execution_time')).toBe('60');
    expect(question?.search.get('max_memory_usage')).toBe('4000000000');
    expect(question?.search.get('max_result_rows')).toBe('200000');
    expect(question?.headers.authorization).toBe(`Basic ${Buffer.from('reader:p@ss').toString('base64')}`);
    expect(question?.headers['accept-encoding']).toContain('gzip');
  });

  it.each([
    ["of the exporter's table", ''],
    ['of the view and its table of hours', '?view=otel_calls'],
  ])('asks nothing without a range of time %s', async (_, place) => {
    const { port, asked } = await serve(({ sql }, response) =>
      response.end(sql.includes('system.tables') ? '{"name":"otel_calls_hourly"}\n' : ''),
    );
    for (const name of ['report', 'check']) await command(port, [name], {}, place);
    expect(asked.some(({ sql }) => sql.includes('{hours:Identifier}'))).toBe(place !== '');
    const questions = asked.filter(({ sql }) => !sql.includes('FROM system.tables'));
    expect(questions.length).toBeGreaterThan(5);
    const countIn = (sql: string, part: RegExp) => sql.match(part)?.length ?? 0;
    for (const { sql, search } of questions) {
      const scans = countIn(sql, /FROM \{database:Identifier\}/g);
      expect(scans).toBeGreaterThan(0);
      const ranges = countIn(sql, /Timestamp >= fromUnixTimestamp64Milli\(\{sinceMs:Int64\}\)/g);
      const hours = countIn(
        sql,
        /WHERE Hour >= toStartOfHour\(fromUnixTimestamp64Milli\(\{sinceMs:Int64\}\), 'UTC'\)/g,
      );
      expect(ranges + hours).toBe(scans);
      expect(Number(search.get('param_untilMs')) - Number(search.get('param_sinceMs'))).toBeLessThan(
        24.1 * 3_600_000,
      );
    }
  });

  it('reports a server without calls as one without calls', async () => {
    const { port } = await serve((_, response) => response.end(''));
    const { code, out } = await command(port, ['report']);
    expect(code).toBe(0);
    expect(out).toMatch(/^No calls in clickhouse:\/\/127\.0\.0\.1:\d+\/otel\/otel_traces, last 24h\./);
  });

  it.each([
    [404, 60, 'Unknown table expression identifier', /no table otel\.otel_traces on .*\?table=/],
    [404, 81, 'Database otel does not exist', /no database otel/],
    [403, 516, 'reader: Authentication failed', /refused user reader: .*CLICKHOUSE_PASSWORD/],
    [403, 497, 'reader: Not enough privileges', /GRANT SELECT/],
    [500, 164, 'Cannot modify setting in readonly mode', /readonly = 2/],
    [500, 159, 'Timeout exceeded', /took too long: ask for less with --since/],
    [500, 241, 'Memory limit exceeded', /stopped the query at its limits: ask for less with --since/],
    [500, 47, 'Unknown expression identifier `SpanAttributes`', /has not the columns/],
  ])('says in one line what to do about an answer of %i with code %i', async (status, number, text, line) => {
    const { port } = await serve((_, response) => fail(response, status, number, text));
    const { code, out, err } = await command(port, ['check']);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(line);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(err).not.toContain('hunter2');
  });

  it('says that nobody listens, and never the password', async () => {
    const { port } = await serve(() => undefined);
    for (const close of closes.splice(0)) await close();
    const { code, err } = await command(port, ['report', '--debug']);
    expect(code).toBe(2);
    expect(err).toMatch(
      /^prefixtrace: cannot reach http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\): is it the server's HTTP port/,
    );
    expect(err).not.toContain('hunter2');
  });

  it('says what to install where the client is missing', async () => {
    const address = parseClickhouseAddress('clickhouse://h/d', {});
    const missing = connectClickhouse(address, () => Promise.reject(new Error('ERR_MODULE_NOT_FOUND')));
    await expect(missing).rejects.toThrow('npm install @clickhouse/client');
  });
});

describe('the address of a server', () => {
  it('has a port, a database and a table of its own where none are named', () => {
    expect(parseClickhouseAddress('clickhouse://h', {})).toMatchObject({
      url: 'http://h:8123',
      user: null,
      password: null,
      database: 'default',
      table: 'otel_traces',
      view: null,
    });
    expect(parseClickhouseAddress('clickhouses://h', {}).url).toBe('https://h:8443');
  });

  it('takes the password from the environment, and shows none', () => {
    const address = parseClickhouseAddress('clickhouse://me@h/d?view=otel_calls', {
      CLICKHOUSE_PASSWORD: 'secret',
    });
    expect(address).toMatchObject({ user: 'me', password: 'secret', view: 'otel_calls' });
    expect(parseClickhouseAddress('clickhouse://me:secret@h/d', {}).name).toBe(
      'clickhouse://h:8123/d/otel_traces',
    );
  });

  it.each(['http://h/d', 'clickhouse://me:secret@/d:x:', 'clickhouse://h/d?tabel=x'])(
    'refuses %s without repeating a password',
    (text) => {
      expect(() => parseClickhouseAddress(text, {})).toThrow(/^(?!.*secret).*--source/);
    },
  );
});

describe('the range of time', () => {
  const now = Date.UTC(2026, 11, 1, 12);

  it('is the last day, up to now, where none is named', () => {
    const range = parseTimeRange(undefined, undefined, now);
    expect(range).toEqual({ sinceMs: now - 86_400_000, untilMs: null });
    expect(rangeInWords(range)).toBe('last 24h');
  });

  it('is named by lengths and by dates', () => {
    expect(parseTimeRange('7d', undefined, now).sinceMs).toBe(now - 7 * 86_400_000);
    expect(parseTimeRange('2026-11-30T08:00Z', '2h', now)).toEqual({
      sinceMs: Date.UTC(2026, 10, 30, 8),
      untilMs: now - 2 * 3_600_000,
    });
    expect(parseTimeRange(undefined, '2026-11-30', now).sinceMs).toBe(Date.UTC(2026, 10, 29));
  });

  it.each([
    ['soon', undefined],
    ['1h', '2h'],
    [undefined, 'tomorrow'],
  ])('refuses %s to %s', (since, until) => {
    expect(() => parseTimeRange(since, until, now)).toThrow(/--(since|until)/);
  });

  it('goes with a server alone', async () => {
    const context = capturedContext();
    expect(await run(['report', '--since', '7d'], context)).toBe(2);
    expect(context.err()).toContain('--since goes with --source');
  });
});
