import { mkdtemp, rm } from 'node:fs/promises';
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
import { type HttpEngine, serveOverHttp } from './support/http-server.ts';
import { insertSpans, TRACES_TABLE } from './support/traces-table.ts';

let engine: Engine;
let folder: string;
let address: string;
let server: HttpEngine | undefined;

beforeAll(async () => {
  if (!hasEngine) return;
  engine = startEngine();
  folder = await mkdtemp(join(tmpdir(), 'prefixtrace-clickhouse-http-'));
  await recordStore(folder, weddingCalls());
  const spans: StoredSpan[] = [];
  for await (const span of readSpans(folder)) spans.push(span);
  engine.command(TRACES_TABLE('otel_traces'));
  insertSpans(engine, 'otel_traces', spans);
  server = await serveOverHttp(engine);
  address = server.address;
});
afterAll(async () => {
  server?.close();
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
