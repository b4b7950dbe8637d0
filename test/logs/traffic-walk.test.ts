/** Every file of the recordings is walked: it imports, or is refused for the right reason, and none is forgotten. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runDiagnose } from '../../cli/commands/diagnose.ts';
import { runImport } from '../../cli/commands/import.ts';
import { runReport } from '../../cli/commands/report.ts';
import { logFiles } from '../../src/logs/log-files.ts';
import { capturedContext } from '../cli/captured-context.ts';
import { temporaryDirectory } from '../store/store-fixture.ts';
import { hasTraffic, trafficFolder } from './traffic-folder.ts';

const TITLE = hasTraffic
  ? 'every file of the recordings'
  : 'every file of the recordings (SKIPPED: no recordings here; set PREFIXTRACE_TRAFFIC to their folder)';

/** What is to be refused, and the word for it. All else holds calls. */
const REFUSED: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:INDEX|FORMATS)\.md$|^LICENSES\//, /is neither JSON nor a recorded cassette/],
  [/^claude-code-cache-fix\/growth-/, /holds sizes .* no requests/],
  [/^har-sample\//, /no call to a model API \(HTTP exchanges in it: 1\)/],
  [/^otel-genai-any-agent\//, /only one of 3 model calls .* no content to compare/],
];

const files = hasTraffic ? (await logFiles(trafficFolder, async () => undefined)).files : [];
const names = files.map((file) => file.slice(trafficFolder.length + 1));

describe.skipIf(!hasTraffic)(TITLE, () => {
  it('is found', () => expect(names.length).toBeGreaterThan(80));

  it.each(names)('%s', async (name) => {
    const directory = temporaryDirectory();
    const env = { NO_COLOR: '1', PREFIXTRACE_DIR: join(directory, 'traces') };
    const context = capturedContext({ workingDirectory: trafficFolder, env });
    const problem = await runImport([name], context).then(
      () => null,
      (error: Error) => error.message,
    );
    const [, reason] = REFUSED.find(([pattern]) => pattern.test(name)) ?? [];
    if (reason !== undefined) {
      expect(problem?.split('\n')).toHaveLength(1);
      expect(problem).toMatch(reason);
      return;
    }
    expect(problem).toBeNull();
    const diagnosed = capturedContext({ workingDirectory: trafficFolder, env });
    await runDiagnose([name], { json: true }, diagnosed);
    const { calls, summary } = JSON.parse(diagnosed.out());
    expect(calls.length).toBeGreaterThan(0);
    expect(summary.unreadable.count).toBe(0);
    const reported = capturedContext({ workingDirectory: trafficFolder, env });
    await runReport(undefined, 'json', reported);
    expect(JSON.parse(reported.out()).totals).toMatchObject({
      calls: calls.length,
      findings: summary.findings,
    });
    rmSync(directory, { recursive: true });
  });

  it('is read in one go as well, folder by folder', async () => {
    const context = capturedContext({ workingDirectory: trafficFolder });
    await runDiagnose(['.'], { json: true }, context);
    const { calls, summary } = JSON.parse(context.out());
    expect(calls.length).toBeGreaterThan(1_000);
    expect(
      new Set(calls.map(({ source }: { source: string }) => source.replace(/:\d+$/, ''))).size,
    ).toBeGreaterThan(70);
    expect(summary.unreadable.count).toBe(0);
  }, 60_000);

  it('stands in the index', () => {
    const index = readFileSync(join(trafficFolder, 'INDEX.md'), 'utf8');
    const named = names.filter((name) => /\//.test(name) && !name.startsWith('LICENSES/'));
    expect(named.filter((name) => !index.includes(name.split('/').slice(0, -1).join('/')))).toEqual([]);
  });
});
