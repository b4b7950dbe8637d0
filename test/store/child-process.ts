/**
 * Runs a program of the tests in a process of its own, as Node 20 runs it after a build: some promises (two writers,
 * a kill, what happens at exit) cannot be tested inside the test's own process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';

const ROOT = resolve(import.meta.dirname, '../..');

export interface Program {
  readonly file: string;
  /** Starts it with arguments and more environment; `.prefixtrace` would lie in `workingDirectory`. */
  start(workingDirectory: string, programArguments: string[], environment?: NodeJS.ProcessEnv): ChildProcess;
  remove(): void;
}

export async function buildProgram(source: URL): Promise<Program> {
  const entry = fileURLToPath(source);
  const name = basename(entry, '.ts');
  // Inside the package, so that the program finds its dependencies.
  const outDir = mkdtempSync(join(ROOT, 'node_modules/.prefixtrace-test-'));
  await build({
    cwd: ROOT,
    config: false,
    entry: { [name]: entry },
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    dts: false,
    clean: false,
    fixedExtension: true,
    logLevel: 'silent',
  });
  const file = join(outDir, `${name}.mjs`);
  return {
    file,
    start: (workingDirectory, programArguments, environment = {}) =>
      spawn(process.execPath, [file, ...programArguments], {
        cwd: workingDirectory,
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    remove: () => rmSync(outDir, { recursive: true, force: true }),
  };
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly errors: string;
}

export function ended(child: ChildProcess): Promise<Ended> {
  let errors = '';
  child.stderr?.on('data', (text) => {
    errors += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, errors }));
  });
}

/** Resolves at the first line that contains `text`. */
export function printed(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (more) => {
      output += more;
      if (output.includes(text)) resolve();
    });
    child.on('close', () => reject(new Error(`the program ended without printing ${text}: ${output}`)));
  });
}
