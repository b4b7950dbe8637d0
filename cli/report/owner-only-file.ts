/** A report names paths and threads of one's work: its file is for its owner alone, also where it was another's to read. */
import { open } from 'node:fs/promises';
import { fileProblem, UserError } from '../errors.ts';

const OWNER_ONLY_FILE = 0o600;

export async function writeOwnerOnly(path: string, text: string, shownPath: string): Promise<void> {
  try {
    const handle = await open(path, 'w', OWNER_ONLY_FILE);
    try {
      // The mode above is for new files alone. A pipe or a terminal keeps its own.
      if ((await handle.stat()).isFile()) await handle.chmod(OWNER_ONLY_FILE);
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new UserError(`cannot write ${shownPath}: ${fileProblem(error)}`, { cause: error });
  }
}
