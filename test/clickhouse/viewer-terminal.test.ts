/** The built viewer on a server in a real pseudo-terminal: the figures are those of the local store of the same run. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { StoredSpan } from '../../src/store/otlp-json.ts';
import { readSpans } from '../../src/store/reader.ts';
import { recordStore } from '../support/recorded-store.ts';
import { weddingCalls } from '../support/reported-calls.ts';
import { COMMAND, KEYS, Terminal } from '../support/terminal.ts';
import { type Engine, engineWord, hasEngine, startEngine } from './support/engine.ts';
import { type HttpEngine, serveOverHttp } from './support/http-server.ts';
import { hoursDefinition, insertSpans, TRACES_TABLE, viewDefinition } from './support/traces-table.ts';

let engine: Engine;
let server: HttpEngine | undefined;
let store: string;
beforeAll(async () => {
  if (!hasEngine) return;
  engine = startEngine();
  store = await mkdtemp(join(tmpdir(), 'prefixtrace-clickhouse-viewer-'));
  await recordStore(store, weddingCalls());
  const spans: StoredSpan[] = [];
  for await (const span of readSpans(store)) spans.push(span);
  engine.command(TRACES_TABLE('otel_traces'));
  for (const statement of [...viewDefinition('otel_traces', 'otel_calls'), ...hoursDefinition('otel_calls')])
    engine.command(statement);
  insertSpans(engine, 'otel_traces', spans);
  server = await serveOverHttp(engine);
});

const open: Terminal[] = [];
afterEach(() => {
  for (const terminal of open.splice(0)) terminal.close();
});
afterAll(async () => {
  server?.close();
  engine?.close();
  if (store) await rm(store, { recursive: true, force: true });
});

async function viewerOf(source: string): Promise<Terminal> {
  const terminal = await Terminal.open();
  open.push(terminal);
  terminal.write(`${COMMAND} view ${source}\r`);
  await terminal.waitFor('Fix first');
  await terminal.waitFor('8 calls');
  return terminal;
}

/** Without the names of the sources, and without the keys, of which a server has one less. */
const figures = (terminal: Terminal) => terminal.screen().split('\n').slice(1, -1).join('\n');

describe.skipIf(!hasEngine)(`the viewer on a server, in a terminal${engineWord}`, () => {
  it.each([
    ["the exporter's table", ''],
    ['the view and its table of hours', '?view=otel_calls'],
  ])('shows what it shows of the local store, opens a lineage, and quits: %s', async (_, place) => {
    const local = await viewerOf(store);
    const onServer = await viewerOf(
      `--source '${server?.address}${place}' --since 2026-11-30 --until 2026-12-01`,
    );
    expect(figures(onServer)).toBe(figures(local));
    expect(onServer.screen()).toContain('clickhouse://127.0.0.1');
    expect(onServer.screen()).not.toContain('filter');
    await onServer.press('/', 'No filter on a server');
    for (const terminal of [local, onServer]) {
      await terminal.press('l', 'by avoidable');
      await terminal.press(KEYS.enter, 'uncached');
      await terminal.waitFor('7 calls');
      await terminal.waitFor(() => !terminal.screen().includes('so far'));
    }
    expect(figures(onServer)).toBe(figures(local));
    await onServer.press('q', '$ ');
    expect(onServer.isOnAlternateScreen()).toBe(false);
    expect(await onServer.run('echo "left with $?"')).toContain('left with 0');
  });
});
