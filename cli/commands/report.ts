/** `prefixtrace report [SOURCE]`: the whole of a source on one page. */
import { type CommandContext, columnsOf, type ExitCode, isColored } from '../command-context.ts';
import { reportJson } from '../report/report-json.ts';
import { reportMarkdown } from '../report/report-markdown.ts';
import { reportText } from '../report/report-text.ts';
import { type CallSource, readAll } from '../sources/call-source.ts';
import { printNotes } from '../sources/notes.ts';
import { openSource } from '../sources/open-source.ts';
import { summarize } from '../summary/summary.ts';
import { createStyle } from '../terminal/style.ts';
import { plainData } from '../terminal/terminal-text.ts';

export type ReportFormat = 'text' | 'markdown' | 'json';

export async function runReport(
  path: string | undefined,
  format: ReportFormat,
  context: CommandContext,
): Promise<ExitCode> {
  return printReport(await openSource(path, context), format, context);
}

export async function printReport(
  source: CallSource,
  format: ReportFormat,
  context: CommandContext,
): Promise<ExitCode> {
  const calls = await readAll(source);
  printNotes(source.notes, (line) => context.stderr.write(`${line}\n`));
  if (format === 'json') {
    context.stdout.write(reportJson(summarize(calls), source.name, source.notes));
    return 0;
  }
  // One door for all text of recorded traffic; JSON has its own escapes.
  const summary = summarize(plainData(calls));
  const title = plainData(source.name);
  if (calls.length === 0) {
    context.stdout.write(
      `No calls in ${title}. Record some: wrap your client with observe() and run it, or try \`prefixtrace demo\`.\n`,
    );
  } else if (format === 'markdown') {
    context.stdout.write(reportMarkdown(summary, title));
  } else {
    const style = createStyle(isColored(context.stdout, context.env));
    context.stdout.write(reportText(summary, { title, style, columns: columnsOf(context) }));
  }
  return 0;
}
