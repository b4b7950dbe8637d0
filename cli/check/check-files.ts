/** The calls that `check` judges: exchange logs as one run of the engine, folders as the stores that they are. */
import { stat } from 'node:fs/promises';
import type { CommandContext } from '../command-context.ts';
import { type CallSource, readAll } from '../sources/call-source.ts';
import { diagnoseFiles } from '../sources/diagnose-logs.ts';
import { toReportedCall } from '../sources/exchange-log.ts';
import { resolvePath, STANDARD_INPUT } from '../sources/input-file.ts';
import { createSourceNotes, type SourceNotes } from '../sources/notes.ts';
import { openSource } from '../sources/open-source.ts';
import type { ReportedCall } from '../summary/reported-call.ts';

export interface CheckedFiles {
  readonly calls: readonly ReportedCall[];
  /** One for each source that was read. */
  readonly notes: readonly SourceNotes[];
}

/** Without a path: the local store. */
export async function readChecked(paths: readonly string[], context: CommandContext): Promise<CheckedFiles> {
  const stores: CallSource[] = [];
  const logs: string[] = [];
  for (const path of paths) {
    if (await isFolder(path, context)) stores.push(await openSource(path, context));
    else logs.push(path);
  }
  if (paths.length === 0) stores.push(await openSource(undefined, context));
  const logNotes = createSourceNotes();
  const calls: ReportedCall[] = [];
  if (logs.length > 0)
    for await (const call of diagnoseFiles(logs, context, logNotes)) calls.push(toReportedCall(call));
  for (const store of stores) for (const call of await readAll(store)) calls.push(call);
  return { calls, notes: [logNotes, ...stores.map((store) => store.notes)] };
}

/** What is not there is no folder either: the reader of files says so in a better way. */
function isFolder(path: string, context: CommandContext): Promise<boolean> {
  if (path === STANDARD_INPUT) return Promise.resolve(false);
  return stat(resolvePath(path, context)).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
