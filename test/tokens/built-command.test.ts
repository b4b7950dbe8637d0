/** What the built command loads. `npm test` builds first. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';

const MAIN = join(import.meta.dirname, '../../dist/cli/main.js');
const execute = promisify(execFile);

/** Prints how many threads were started, as the process ends. */
const COUNT_THREADS = `data:text/javascript,${encodeURIComponent(
  `import threads from 'node:worker_threads'; import { syncBuiltinESMExports } from 'node:module';
   let started = 0; const { Worker } = threads;
   threads.Worker = class extends Worker { constructor(...args) { started += 1; super(...args); } };
   syncBuiltinESMExports(); process.on('exit', () => process._rawDebug('threads ' + started));`,
)}`;

async function run(...args: string[]): Promise<{ stdout: string; threads: string }> {
  const { stdout, stderr } = await execute(process.execPath, ['--import', COUNT_THREADS, MAIN, ...args]);
  return { stdout, threads: stderr.trim() };
}

async function log(usage: object | undefined): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'prefixtrace-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'log.jsonl');
  const messages = [{ role: 'user', content: '今天天气很好，我们去公园散步。'.repeat(50) }];
  await writeFile(file, JSON.stringify({ api: 'openai.chat', body: { model: 'gpt-4o', messages }, usage }));
  return file;
}

describe('the built command', () => {
  it('starts no tokenizer for its help', async () => {
    expect((await run('--help')).threads).toBe('threads 0');
    expect((await run('diagnose', '--help')).threads).toBe('threads 0');
  });

  it('starts none for traffic that reports usage', async () => {
    const file = await log({ prompt_tokens: 900, completion_tokens: 3 });
    const { stdout, threads } = await run('diagnose', file, '--json');
    expect(threads).toBe('threads 0');
    expect(JSON.parse(stdout).calls[0].tokens).toMatchObject({ input: 900, method: 'usage' });
  });

  it('counts where usage is missing', async () => {
    const { stdout, threads } = await run('diagnose', await log(undefined), '--json');
    expect(threads).toBe('threads 1');
    const { tokens } = JSON.parse(stdout).calls[0];
    expect(tokens.method).toBe('estimated');
    // Four characters a token would say 190.
    expect(tokens.input).toBeGreaterThan(400);
  });
});
