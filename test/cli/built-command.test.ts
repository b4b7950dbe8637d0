/** The built command as a person runs it. `npm test` builds first. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '../../dist/cli/main.js');
const execute = promisify(execFile);

const HOOK = `export async function load(url, context, next) {
  if (url.includes('node_modules')) process._rawDebug(url);
  return next(url, context);
}`;
/** Prints the address of each module of a dependency as it loads. */
const PRINT_MODULES = dataUrl(
  `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(HOOK))});`,
);

function dataUrl(script: string): string {
  return `data:text/javascript,${encodeURIComponent(script)}`;
}
const env = { PATH: process.env.PATH, NO_COLOR: '1', COLUMNS: '100', TZ: 'UTC' };

describe('the built command', () => {
  it('runs the demo without key, network or terminal, and finds every bug in it', async () => {
    const { stdout, stderr } = await execute(process.execPath, [MAIN, 'demo'], { env });
    expect(stderr).toBe('');
    for (const cause of [
      'system.timestamp',
      'tools.reordered',
      'tools.added',
      'messages.tool_result_cleared',
      'ttl_expired',
    ]) {
      expect(stdout).toContain(`\n  ${cause} `);
    }
    expect(stdout).not.toMatch(/\x1b/);
    const [, directory = ''] = /Recorded in (\S+)/.exec(stdout) ?? [];
    expect((await stat(directory)).mode & 0o077).toBe(0);
    const { stdout: report } = await execute(process.execPath, [MAIN, 'report', directory, '--json'], {
      env,
    });
    const { findings, declared, totals } = JSON.parse(report);
    expect(
      findings.map(({ cause, phase }: { cause: string; phase: string }) => `${cause} ${phase}`).sort(),
    ).toEqual([
      'messages.tool_result_cleared budget',
      'system.timestamp researcher',
      'tools.added planner',
      'tools.reordered researcher',
    ]);
    expect(declared.map(({ cause }: { cause: string }) => cause)).toEqual(['compaction']);
    expect(totals.calls).toBe(41);
    await rm(directory, { recursive: true });
  });

  it('prints the report instead of the viewer where there is no terminal', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'prefixtrace-test-'));
    const { stdout } = await execute(process.execPath, [MAIN, 'view', directory], { env });
    expect(stdout).toMatch(/^No calls in /);
    await rm(directory, { recursive: true });
  });

  it('ends quietly when its reader goes away', async () => {
    const child = spawn(process.execPath, [MAIN, '--help'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let err = '';
    child.stderr.on('data', (text) => {
      err += text;
    });
    const exitCode = await new Promise((resolve) => child.on('close', resolve));
    expect([exitCode, err]).toEqual([0, '']);
  });

  it.each([['--help'], ['diagnose', '-']])(
    'loads neither React nor OpenTelemetry nor the tokenizer for %s',
    async (...words) => {
      const child = spawn(process.execPath, ['--import', PRINT_MODULES, MAIN, ...words], {
        env,
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      child.stdin.end(
        '{"body":{"model":"claude-sonnet-5","system":"You are","messages":[{"role":"user","content":"hi"}]}}\n',
      );
      let loaded = '';
      child.stderr.on('data', (text) => {
        loaded += text;
      });
      await new Promise((resolve) => child.on('close', resolve));
      expect(loaded).toContain('commander');
      expect(loaded).not.toMatch(/node_modules\/(react|ink|js-tiktoken|@opentelemetry)\//);
    },
  );
});
