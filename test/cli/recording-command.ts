/** The built command in a process and a folder of its own, with what it recorded there. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAll } from '../../cli/sources/call-source.ts';
import { localStoreSource } from '../../cli/sources/local-store.ts';
import type { ReportedCall } from '../../cli/summary/reported-call.ts';

const MAIN = join(import.meta.dirname, '../../dist/cli/main.js');

/** For `expect.poll`: processes start slowly on a busy machine. */
export const PATIENT = { timeout: 20_000 };

export interface RecordingCommand {
  readonly directory: string;
  start(words: readonly string[], env?: Readonly<Record<string, string>>): StartedCommand;
  calls(): Promise<ReportedCall[]>;
  remove(): Promise<void>;
}

export interface StartedCommand {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
}

export async function recordingCommand(): Promise<RecordingCommand> {
  const directory = await mkdtemp(join(tmpdir(), 'prefixtrace-test-'));
  const children = new Set<ChildProcess>();
  return {
    directory,
    start(words, env = {}) {
      const child = spawn(process.execPath, [MAIN, ...words], {
        cwd: directory,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', TZ: 'UTC', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      children.add(child);
      const texts = { out: '', err: '' };
      child.stdout.on('data', (text) => {
        texts.out += text;
      });
      child.stderr.on('data', (text) => {
        texts.err += text;
      });
      const ended = once(child, 'close').then(([code]) => code as number | null);
      return { child, out: () => texts.out, err: () => texts.err, ended };
    },
    calls: () => readAll(localStoreSource(join(directory, '.prefixtrace'), 'test')),
    async remove() {
      for (const child of children) child.kill('SIGKILL');
      await rm(directory, { recursive: true, force: true });
    },
  };
}
