/**
 * Makes room in the directory of the store: what is too old goes, and where all of it is too large the files that were
 * written to the longest ago.
 *
 * Invariant: only files whose name is one that we give are ever deleted, no links and no folders, and none that a process
 * may be writing to.
 */
import { lstatSync, unlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { processOfStoreFile, storeFiles } from './directory.ts';

interface OldFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly writtenAtMs: number;
}

/** A process that records anything writes more often; one that lost its file to us begins another. */
const QUIET_AFTER_MS = 60_000;
/** Room is made for a while, not for a line. */
const KEPT_SHARE = 0.9;

export function removeOlderThan(directory: string, maxAgeMs: number, current: string | undefined): void {
  for (const file of removableFiles(directory, current)) {
    if (Date.now() - file.writtenAtMs > maxAgeMs) remove(file);
  }
}

/** `sizeBytes` is what the directory holds now, with what is not ours to delete. */
export function removeBeyond(
  directory: string,
  sizeBytes: number,
  maxBytes: number,
  current: string | undefined,
): void {
  let remainingBytes = sizeBytes;
  for (const file of removableFiles(directory, current)) {
    if (remainingBytes <= maxBytes * KEPT_SHARE) return;
    if (remove(file)) remainingBytes -= file.sizeBytes;
  }
}

/** Written to the longest ago first. */
function removableFiles(directory: string, current: string | undefined): OldFile[] {
  const files: OldFile[] = [];
  for (const path of storeFiles(directory)) {
    const processId = processOfStoreFile(basename(path));
    if (processId === undefined || path === current) continue;
    const stats = lstatSync(path, { throwIfNoEntry: false }); // another process may tidy up as well
    if (stats?.isFile() !== true) continue;
    const isQuiet = processId === process.pid || Date.now() - stats.mtimeMs > QUIET_AFTER_MS;
    if (isQuiet) files.push({ path, sizeBytes: stats.size, writtenAtMs: stats.mtimeMs });
  }
  return files.sort((a, b) => a.writtenAtMs - b.writtenAtMs);
}

function remove({ path }: OldFile): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false; // gone, or not ours to delete: the next one then
  }
}
