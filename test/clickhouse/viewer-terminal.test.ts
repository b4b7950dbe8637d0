/** The built viewer on a server in a real pseudo-terminal: the figures are those of the local store of the same run. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND, KEYS, Terminal } from '../support/terminal.ts';
import { engineWord, hasEngine } from './support/engine.ts';
import { type ServedRun, serveRun } from './support/served-run.ts';
import { hoursDefinition, viewDefinition } from './support/traces-table.ts';

let served: ServedRun | undefined;
beforeAll(async () => {
  if (!hasEngine) return;
  served = await serveRun((table) => [
    ...viewDefinition(table, 'otel_calls'),
    ...hoursDefinition('otel_calls'),
  ]);
});

const open: Terminal[] = [];
afterEach(() => {
  for (const terminal of open.splice(0)) terminal.close();
});
afterAll(() => served?.close());

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
    const local = await viewerOf(String(served?.folder));
    const onServer = await viewerOf(
      `--source '${served?.address}${place}' --since 2026-11-30 --until 2026-12-01`,
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
