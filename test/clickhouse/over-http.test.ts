import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../cli/run.ts';
import type { StoredSpan } from '../../src/store/otlp-json.ts';
import { readSpans } from '../../src/store/reader.ts';
import { capturedContext } from '../cli/captured-context.ts';
import { recordStore } from '../support/recorded-store.ts';
import { weddingCalls } from '../support/reported-calls.ts';
import { type Engine, engineWord, hasEngine, startEngine } from './support/engine.ts';
import { insertSpans, TRACES_TABLE } from './support/traces-table.ts';

let engine: Engine;
let folder: string;
let address: string;
const close: (() => void)[] = [];

/** The real engine behind the HTTP interface of a server, as far as the real client uses it. */
beforeAll(async () => {
  if (!hasEngine) return;
  engine = startEngine();
  folder = await mkdtemp(join(tmpdir(), 'prefixtrace-clickhouse-http-'));
  await recordStore(folder, weddingCalls());
  const spans: StoredSpan[] = [];
  for await (const span of readSpans(folder)) spans.push(span);
  engine.command(TRACES_TABLE('otel_traces'));
  insertSpans(engine, 'otel_traces', spans);
  const server = createServer(async (request, response) => {
    let sql = '';
    for await (const chunk of request) sql += chunk;
    try {
      for (const [name, value] of new URL(request.url ?? '', 'http://x').searchParams)
        if (name.startsWith('param_'))
          engine.command(`SET ${name} = '${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`);
      response.end(engine.text(sql));
    } catch (error) {
      response.writeHead(500, { 'x-clickhouse-exception-code': '1' });
      response.end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close.push(() => server.close());
  address = `clickhouse://127.0.0.1:${(server.address() as AddressInfo).port}/default`;
});
afterAll(async () => {
  for (const end of close) end();
  engine?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

async function answer(words: readonly string[]) {
  const context = capturedContext();
  const code = await run(words, context);
  return { code, out: context.out(), err: context.err() };
}

const RANGE = ['--since', '2026-11-30', '--until', '2026-12-01'];

describe.skipIf(!hasEngine)(`the commands on a server over HTTP${engineWord}`, () => {
  it.each(['text', 'markdown'])(
    'report prints what it prints for the local store, as %s',
    async (format) => {
      const local = await answer(['report', folder, '--format', format]);
      const server = await answer(['report', '--source', address, ...RANGE, '--format', format]);
      const withoutTitle = (text: string) => text.split('\n').slice(1).join('\n');
      expect(server.err).toBe('');
      expect(withoutTitle(server.out)).toBe(withoutTitle(local.out));
    },
    60_000,
  );

  it('check judges as it judges the local store', async () => {
    const limits = ['--max-findings', '1', '--max-rebilled', '50000', '--min-hit', '0.5'];
    const local = await answer(['check', folder, ...limits]);
    const server = await answer(['check', '--source', address, ...RANGE, ...limits]);
    expect(server).toEqual(local);
    expect(local.code).toBe(1);
  }, 60_000);
});
