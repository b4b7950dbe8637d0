/** `prefixtrace diagnose FILE…`: recorded traffic in, what diverged and why out. Exit 0 whatever was found. */
import { type CommandContext, columnsOf, type ExitCode, isColored } from '../command-context.ts';
import { diagnosisJson } from '../report/diagnosis-json.ts';
import { diagnosisText } from '../report/diagnosis-text.ts';
import { readLean } from '../sources/lean-call.ts';
import { printNotes } from '../sources/notes.ts';
import { openSource } from '../sources/open-source.ts';
import { withProgressLine } from '../terminal/progress-line.ts';
import { createStyle } from '../terminal/style.ts';

export interface DiagnoseOptions {
  readonly json?: boolean | undefined;
  readonly excerpts?: boolean | undefined;
}

export async function runDiagnose(
  files: readonly string[],
  options: DiagnoseOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const source = withProgressLine(await openSource(files, context), context);
  const printAllNotes = () => printNotes(source.notes, (line) => context.stderr.write(`${line}\n`));
  if (options.json) {
    // Calls go out as they come: a log may hold more of them than memory does.
    for await (const piece of diagnosisJson(source.read(), source.notes)) context.stdout.write(piece);
    printAllNotes();
    return 0;
  }
  const calls = await readLean(source);
  printAllNotes();
  const style = createStyle(isColored(context.stdout, context.env));
  const showExcerpts = options.excerpts === true;
  context.stdout.write(diagnosisText(calls, { style, columns: columnsOf(context), showExcerpts }));
  return 0;
}
