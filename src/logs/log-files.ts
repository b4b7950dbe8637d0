/**
 * The files of a folder and below it in the order in which they are read: by name, folder by folder, and files that hold
 * one call each by the time of that call. Links to folders are not followed, so that no walk goes in a circle.
 */
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface FoundFiles {
  readonly files: readonly string[];
  readonly passedOver: readonly PassedOver[];
}

/** What lies there and is not read. */
interface PassedOver {
  readonly path: string;
  readonly reason: string;
  /** Logs may lie there that nobody has seen. */
  readonly isMissing: boolean;
}

/** When the one call of a file happened; `undefined` for a file of many calls, or of none. */
export type CallTime = (path: string) => Promise<number | undefined>;

/** One call is a few megabytes at most: larger files are not looked into for the time of one. */
const MAX_ONE_CALL_BYTES = 16 * 1024 * 1024;

/** Throws where the folder itself cannot be listed. */
export async function logFiles(folder: string, callTime: CallTime): Promise<FoundFiles> {
  const found = { files: [] as string[], passedOver: [] as PassedOver[] };
  await walk(folder, await readdir(folder, { withFileTypes: true }));
  return found;

  async function walk(path: string, entries: readonly Dirent[]): Promise<void> {
    const visible = entries.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
    const files: string[] = [];
    const folders: string[] = [];
    for (const entry of visible.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const entryPath = join(path, entry.name);
      const kind = entry.isSymbolicLink() ? await kindOfLink(entryPath) : kindOf(entry);
      if (kind === 'file') files.push(entryPath);
      else if (kind === 'folder') folders.push(entryPath);
      else found.passedOver.push({ path: entryPath, reason: kind, isMissing: false });
    }
    found.files.push(...(await byCallTime(files, callTime)));
    for (const inner of folders) {
      try {
        await walk(inner, await readdir(inner, { withFileTypes: true }));
      } catch (error) {
        found.passedOver.push({
          path: inner,
          reason: `cannot be listed (${codeOf(error)})`,
          isMissing: true,
        });
      }
    }
  }
}

async function byCallTime(files: readonly string[], callTime: CallTime): Promise<string[]> {
  const timed: { path: string; atMs: number | undefined }[] = [];
  for (const path of files) {
    const { size } = await stat(path).catch(() => ({ size: Number.POSITIVE_INFINITY }));
    timed.push({ path, atMs: size > MAX_ONE_CALL_BYTES ? undefined : await callTime(path) });
  }
  // Stable: files without a time keep their order by name, and stand in front.
  return timed.sort((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0)).map(({ path }) => path);
}

/** A word of its own for what is not read: a pipe would be waited for, a device may never end. */
function kindOf(entry: Pick<Dirent, 'isFile' | 'isDirectory'>): string {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'folder' : 'is neither a file nor a folder';
}

async function kindOfLink(path: string): Promise<string> {
  try {
    const kind = kindOf(await stat(path));
    return kind === 'folder' ? 'is a link to a folder, which is not followed' : kind;
  } catch (error) {
    return codeOf(error) === 'ELOOP' ? 'is a link that goes in a circle' : 'is a link that leads nowhere';
  }
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown }).code ?? error);
}
