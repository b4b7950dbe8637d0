/** The examples do what their table says: each runs as a newcomer would run it, and its fault is found. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'dist/cli/main.js');
const folder = await mkdtemp(join(tmpdir(), 'prefixtrace-examples-'));
afterAll(() => rm(folder, { recursive: true }));

interface Report {
  readonly totals: { readonly calls: number };
  readonly findings: readonly { readonly cause: string }[];
  readonly declared: readonly unknown[];
}

/** Whoever runs the tests by `npx -c` would hand that option on to the `npx` of an example. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_config_(call|package)$/.test(name)),
);

async function reportOf(example: string): Promise<Report> {
  const store = join(folder, example);
  await run(process.execPath, [join(ROOT, 'examples', example)], {
    cwd: ROOT,
    env: { ...environment, PREFIXTRACE_DIR: store },
  });
  const { stdout } = await run(process.execPath, [MAIN, 'report', store, '--json']);
  return JSON.parse(stdout) as Report;
}

const hasPython = spawnSync('python3', ['--version']).status === 0;

/** Example, calls, kinds found. */
const EXAMPLES: readonly [string, number, readonly string[]][] = [
  ['anthropic.mjs', 2, ['system.timestamp']],
  ['openai-streaming.mjs', 2, ['tools.reordered']],
  ['openai-responses.mjs', 3, ['system.agent_state']],
  ['ai-sdk.mjs', 2, ['system.random_id']],
  ['langchain.mjs', 2, ['system.instructions_changed']],
  ['bedrock.mjs', 2, ['system.environment_state']],
  ['agent.mjs', 7, ['system.agent_state']],
  ['serverless.mjs', 2, ['system.agent_state']],
  ['any-program.mjs', 2, ['system.environment_state']],
];

describe('examples', () => {
  for (const [example, calls, kinds] of EXAMPLES) {
    const lacksPython = example === 'any-program.mjs' && !hasPython;
    const title = `${example} finds its own fault`;
    it.skipIf(lacksPython)(lacksPython ? `${title} (SKIPPED: no python3 here)` : title, async () => {
      const report = await reportOf(example);
      expect(report.findings.map(({ cause }) => cause)).toEqual(kinds);
      expect(report.totals.calls).toBe(calls);
    });
  }

  it('are all tried', async () => {
    const there = (await readdir(join(ROOT, 'examples'))).filter((name) => name.endsWith('.mjs'));
    expect(EXAMPLES.map(([example]) => example).sort()).toEqual(there.sort());
  });
});
