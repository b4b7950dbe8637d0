/** The command that shows what was just stored. */
import { relative } from 'node:path';
import type { CommandContext } from '../command-context.ts';

/** `PREFIXTRACE_DIR` may stand in front of one command only: the next one would look elsewhere. */
export function viewCommand(directory: string, { env, workingDirectory }: CommandContext): string {
  if (!env.PREFIXTRACE_DIR) return 'prefixtrace view';
  return `prefixtrace view ${relative(workingDirectory, directory) || directory}`;
}
