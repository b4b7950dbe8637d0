/** One run of the demo's calls, in a local store and in the exporter's table of a real engine behind HTTP. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredSpan } from '../../../src/store/otlp-json.ts';
import { readSpans } from '../../../src/store/reader.ts';
import { recordStore } from '../../support/recorded-store.ts';
import { weddingCalls } from '../../support/reported-calls.ts';
import { startEngine } from './engine.ts';
import { serveOverHttp } from './http-server.ts';
import { insertSpans, TRACES_TABLE } from './traces-table.ts';

export interface ServedRun {
  /** The local store. */
  readonly folder: string;
  /** For `--source`. */
  readonly address: string;
  close(): Promise<void>;
}

/** `definitions`: statements for the table named, before any span is in it. */
export async function serveRun(
  definitions: (table: string) => readonly string[] = () => [],
): Promise<ServedRun> {
  const engine = startEngine();
  const folder = await mkdtemp(join(tmpdir(), 'prefixtrace-clickhouse-'));
  await recordStore(folder, weddingCalls());
  const spans: StoredSpan[] = [];
  for await (const span of readSpans(folder)) spans.push(span);
  for (const statement of [TRACES_TABLE('otel_traces'), ...definitions('otel_traces')])
    engine.command(statement);
  insertSpans(engine, 'otel_traces', spans);
  const server = await serveOverHttp(engine);
  return {
    folder,
    address: server.address,
    async close() {
      server.close();
      engine.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
