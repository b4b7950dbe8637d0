/** Tells a folder that is a local store from a folder of logs, and spans that tell of calls from spans that hold prompts. */
import { open, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { storeDirectory } from '../../src/store/directory.ts';
import type { CommandContext } from '../command-context.ts';

const PEEKED_BYTES = 64 * 1024;

/** The store's own folder, or one that holds nothing but files of stored calls; an empty one may become a store yet. */
export async function isStore(directory: string, env: CommandContext['env']): Promise<boolean> {
  if (resolve(directory) === storeDirectory(env)) return true;
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => null);
  const visible = entries?.filter(({ name }) => !name.startsWith('.'));
  if (!visible?.every((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))) return false;
  for (const { name } of visible) {
    const beginning = await beginningOf(join(directory, name));
    // A file that was just made says nothing yet.
    if (beginning !== '') return holdsStoredCalls(beginning);
  }
  return true;
}

/** Spans that say what was found, and not what was said. Spans of other kinds alone may have such calls further behind. */
export function holdsStoredCalls(beginning: string): boolean {
  if (!/^\ufeff?\s*\{\s*"resource_?spans"/i.test(beginning)) return false;
  return isOwnSpans(beginning) || !/"(?:gen_ai|llm|ai|openinference|traceloop)\./.test(beginning);
}

export function isOwnSpans(beginning: string): boolean {
  return beginning.includes('"prompt_cache.');
}

async function beginningOf(path: string): Promise<string> {
  try {
    const handle = await open(path);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(PEEKED_BYTES), 0, PEEKED_BYTES, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return '';
  }
}
