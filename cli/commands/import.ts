/**
 * `prefixtrace import FILE…`: recorded traffic of any known form into the local store, diagnosed, so that it is looked at
 * beside what was recorded live. The prompts stay in the log: a store holds what was found, not what was said.
 */
import { relative } from 'node:path';
import { storeDirectory } from '../../src/store/directory.ts';
import { openStore } from '../../src/store/open-store.ts';
import { loadSdk } from '../../src/store/sdk.ts';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';
import type { CommandContext, ExitCode } from '../command-context.ts';
import { UserError } from '../errors.ts';
import { diagnoseInputs, openInputs } from '../sources/diagnose-logs.ts';
import { resolvePath } from '../sources/input-file.ts';
import { InputProgress } from '../sources/input-progress.ts';
import { resolveInputs } from '../sources/inputs.ts';
import { createSourceNotes, printNotes } from '../sources/notes.ts';
import { storedWithoutPrompt } from '../sources/usage-only-call.ts';
import { viewCommand } from '../sources/view-command.ts';
import { progressText, startProgressLine } from '../terminal/progress-line.ts';

/** What waits for the disk stays far below the bound at which the store begins to drop. */
const CALLS_BETWEEN_FLUSHES = 200;

export async function runImport(files: readonly string[], context: CommandContext): Promise<ExitCode> {
  if (context.env.PREFIXTRACE_DISABLED) {
    throw new UserError('PREFIXTRACE_DISABLED is set, so nothing would be stored; unset it to import');
  }
  const directory = resolvePath(storeDirectory(context.env), context);
  const inputs = await resolveInputs(files, context);
  const store = openStore(await loadSdk(), { directory, serviceName: 'prefixtrace import' });
  const sink = createTelemetrySink({ tracerProvider: store.tracerProvider, store: false, metrics: false });
  const notes = createSourceNotes();
  const progress = new InputProgress(inputs);
  let calls = 0;
  const line = startProgressLine(context, () => progressText(progress, calls));
  try {
    for await (const logged of diagnoseInputs(openInputs(inputs, context, progress), notes)) {
      const { exchange, call } = logged.record ? storedWithoutPrompt(logged.record, logged.call) : logged;
      sink.open(exchange).end(call, exchange.response ?? { ending: 'completed' });
      calls += 1;
      if (calls % CALLS_BETWEEN_FLUSHES === 0) await store.flush();
    }
  } finally {
    line.erase();
    await store.shutdown();
  }
  printNotes(notes, (text) => context.stderr.write(`${text}\n`));
  const name = relative(context.workingDirectory, directory) || directory;
  if (store.droppedSpans > 0) {
    throw new UserError(`${store.droppedSpans} spans could not be written to ${name}: is the disk full?`);
  }
  context.stdout.write(
    `${calls} ${calls === 1 ? 'call' : 'calls'} imported into ${name}\nLook at them: ${viewCommand(directory, context)}\n`,
  );
  return 0;
}
