/**
 * Where the local store lies and how its files are named.
 *
 * One directory for all processes of a working directory, files of its own per process: nobody ever writes in another's file.
 * Names begin with the start time, so that their order is the order of the processes.
 */
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nodeCrypto } from '../node-crypto.ts';

const STORE_FILE_EXTENSION = '.jsonl';

const OWNER_ONLY_DIRECTORY = 0o700;
export const OWNER_ONLY_FILE = 0o600;

export function storeDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  const named = environment.PREFIXTRACE_DIR;
  return resolve(named === undefined || named === '' ? '.prefixtrace' : named);
}

/** Makes the directory where it is missing. One that the user made keeps the mode that she gave it. */
export function makeStoreDirectory(directory: string): void {
  const firstMade = mkdirSync(directory, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  if (firstMade === undefined) return;
  // Telemetry has no place in a repository, and `git add .` is typed without a look.
  writeFileSync(join(directory, '.gitignore'), '*\n', { mode: OWNER_ONLY_FILE });
}

export function newStoreFileName(startedAt: Date = new Date(), processId: number = process.pid): string {
  const started = startedAt.toISOString().replaceAll(':', '-'); // no colon in a file name on Windows
  return `${started}-${processId}-${nodeCrypto().randomBytes(4).toString('hex')}${STORE_FILE_EXTENSION}`;
}

/** The process that wrote a file of ours; `undefined` for a name that we do not give. */
export function processOfStoreFile(name: string): number | undefined {
  const [, processId] = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-(\d+)-[0-9a-f]{8}\.jsonl$/.exec(name) ?? [];
  return processId === undefined ? undefined : Number(processId);
}

/** Oldest first. A directory that is not there yet has no files. */
export function storeFiles(directory: string): string[] {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []; // Node's file errors have a code
    throw error;
  }
  return names
    .filter((name) => name.endsWith(STORE_FILE_EXTENSION))
    .sort()
    .map((name) => join(directory, name));
}

export function storeSizeBytes(directory: string): number {
  let sizeBytes = 0;
  for (const file of storeFiles(directory)) {
    sizeBytes += statSync(file, { throwIfNoEntry: false })?.size ?? 0; // it may be deleted between list and look
  }
  return sizeBytes;
}
