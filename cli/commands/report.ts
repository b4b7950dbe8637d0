/** `prefixtrace report [SOURCE]`: the whole of a source on one page. */
import { extname } from 'node:path';
import { type CommandContext, columnsOf, type ExitCode, isColored } from '../command-context.ts';
import { UserError } from '../errors.ts';
import { writeOwnerOnly } from '../report/owner-only-file.ts';
import { partsOf, type ReportParts, reportOf } from '../report/report.ts';
import { reportJson } from '../report/report-json.ts';
import { reportMarkdown } from '../report/report-markdown.ts';
import { reportText } from '../report/report-text.ts';
import { type CallSource, readAll } from '../sources/call-source.ts';
import { resolvePath } from '../sources/input-file.ts';
import { printNotes } from '../sources/notes.ts';
import { openSource } from '../sources/open-source.ts';
import { refuseRange, type ServerOptions } from '../sources/server-options.ts';
import { loadModelWindows } from '../summary/model-windows.ts';
import { withProgressLine } from '../terminal/progress-line.ts';
import { createStyle } from '../terminal/style.ts';
import { plainData } from '../terminal/terminal-text.ts';

export type ReportFormat = 'text' | 'markdown' | 'json' | 'html';

export interface ReportOptions extends ServerOptions {
  /** A file to write instead of standard output. */
  readonly output?: string | undefined;
  /** Show the text that changed, where the source holds it. */
  readonly excerpts?: boolean | undefined;
}

export async function runReport(
  named: string | readonly string[] | undefined,
  format: ReportFormat,
  context: CommandContext,
  options: ReportOptions = {},
): Promise<ExitCode> {
  if (options.excerpts && format !== 'html')
    throw new UserError('--excerpts goes with --format html; `prefixtrace diagnose --excerpts` prints them');
  if (format === 'html' && options.output === undefined && context.stdout.isTTY)
    throw new UserError('a page is for a browser: name a file for it, --output report.html');
  if (options.source !== undefined) return reportOnServer(named, format, context, options);
  refuseRange(options);
  return printReport(await openSource(named, context), format, context, options);
}

/** The server adds up; what a report lists is read. */
export async function reportOnServer(
  named: string | readonly string[] | undefined,
  format: ReportFormat,
  context: CommandContext,
  options: ReportOptions,
): Promise<ExitCode> {
  const { withServer } = await import('../sources/clickhouse/open-server.ts');
  const answer = await withServer(named ?? [], options, context, async ({ name, summary }) => ({
    parts: await summary.reportParts(),
    source: { name, notes: summary.notes },
  }));
  return printParts(answer.source, answer.parts, format, context, options);
}

export async function printReport(
  source: CallSource,
  format: ReportFormat,
  context: CommandContext,
  options: ReportOptions = {},
): Promise<ExitCode> {
  const calls = await readAll(withProgressLine(source, context));
  return printParts(source, partsOf(calls), format, context, options);
}

async function printParts(
  source: Pick<CallSource, 'name' | 'notes'>,
  parts: ReportParts,
  format: ReportFormat,
  context: CommandContext,
  options: ReportOptions,
): Promise<ExitCode> {
  printNotes(source.notes, (line) => context.stderr.write(`${line}\n`));
  const text = await reportAs(format, source, parts, context, options);
  if (options.output === undefined) context.stdout.write(text);
  else {
    await writeOwnerOnly(resolvePath(options.output, context), text, options.output);
    context.stderr.write(`Wrote ${options.output}\n`);
  }
  return 0;
}

/** What was asked for; else the name of the file says what belongs into it. */
export function reportFormat(asked: {
  readonly json?: boolean | undefined;
  readonly format?: ReportFormat | undefined;
  readonly output?: string | undefined;
}): ReportFormat {
  if (asked.json) return 'json';
  return asked.format ?? FORMATS[extname(asked.output ?? '').toLowerCase()] ?? 'text';
}

const FORMATS: Readonly<Record<string, ReportFormat>> = {
  '.html': 'html',
  '.htm': 'html',
  '.md': 'markdown',
  '.json': 'json',
};

async function reportAs(
  format: ReportFormat,
  source: Pick<CallSource, 'name' | 'notes'>,
  parts: ReportParts,
  context: CommandContext,
  { output, excerpts = false }: ReportOptions,
): Promise<string> {
  const findWindow = await loadModelWindows();
  if (format === 'json') return reportJson(reportOf(source.name, parts, source.notes, findWindow));
  // One door for all text of recorded traffic; JSON has its own escapes.
  const title = plainData(source.name);
  const report = reportOf(title, plainData(parts), plainData(source.notes), findWindow);
  if (report.summary.totals.calls === 0 && format !== 'html') return nothingIn(title, report.unseen);
  switch (format) {
    case 'markdown':
      return reportMarkdown(report);
    case 'html': {
      const { reportHtml } = await import('../report/html/report-html.ts');
      return reportHtml(report, { showsExcerpts: excerpts });
    }
    case 'text': {
      const style = createStyle(output === undefined && isColored(context.stdout, context.env));
      return reportText(report, { style, columns: columnsOf(context) });
    }
  }
}

function nothingIn(title: string, unseen: readonly { readonly text: string }[]): string {
  const advice = 'Record some: wrap your client with observe() and run it, or try `prefixtrace demo`.';
  if (unseen.length === 0) return `No calls in ${title}. ${advice}\n`;
  return `No calls in ${title}, but ${unseen.map(({ text }) => text).join('; ')}. ${advice}\n`;
}
