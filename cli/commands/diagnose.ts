/** `prefixtrace diagnose FILE…`: recorded traffic in, what diverged and why out. Exit 0 whatever was found. */
import { type CommandContext, columnsOf, type ExitCode, isColored } from '../command-context.ts';
import { diagnosisJson } from '../report/diagnosis-json.ts';
import { diagnosisText } from '../report/diagnosis-text.ts';
import { diagnoseFiles } from '../sources/diagnose-logs.ts';
import { toReportedCall } from '../sources/exchange-log.ts';
import { createSourceNotes, printNotes } from '../sources/notes.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
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
  const notes = createSourceNotes();
  const calls: ReportedCall[] = [];
  for await (const call of diagnoseFiles(files, context, notes)) calls.push(toReportedCall(call));
  // Nothing is printed before all is read: a broken last file must not leave half an answer behind.
  printNotes(notes, (line) => context.stderr.write(`${line}\n`));
  if (options.json) {
    for (const piece of diagnosisJson(calls, notes)) context.stdout.write(piece);
  } else {
    const style = createStyle(isColored(context.stdout, context.env));
    const showExcerpts = options.excerpts === true;
    context.stdout.write(diagnosisText(calls, { style, columns: columnsOf(context), showExcerpts }));
  }
  return 0;
}
