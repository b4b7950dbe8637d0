/** `prefixtrace check FILE…`: for CI. Exit 1 when a run falls short of its limits, or could not be measured. */
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { annotations, withoutCommands } from '../check/annotations.ts';
import { readChecked } from '../check/check-files.ts';
import { checkJson } from '../check/check-json.ts';
import { checkMarkdown } from '../check/check-markdown.ts';
import { type CheckResult, checkCalls } from '../check/check-result.ts';
import { checkText } from '../check/check-text.ts';
import {
  type KnownFinding,
  knownFindingOf,
  readKnownFindings,
  writeKnownFindings,
} from '../check/known-findings.ts';
import { type Limits, unmeasuredParts } from '../check/limits.ts';
import { checkSarif } from '../check/sarif.ts';
import { type CommandContext, columnsOf, type ExitCode, isColored } from '../command-context.ts';
import { fileProblem, UserError } from '../errors.ts';
import { resolvePath } from '../sources/input-file.ts';
import { type NoteList, printNotes, type SourceNotes } from '../sources/notes.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { createStyle } from '../terminal/style.ts';
import { plainData } from '../terminal/terminal-text.ts';

type CheckFormat = 'text' | 'github' | 'sarif' | 'markdown' | 'json';

/** As given on the command line. */
export interface CheckOptions {
  readonly maxRebilled?: string | undefined;
  readonly maxFindings?: string | undefined;
  readonly minHit?: string | undefined;
  readonly baseline?: string | undefined;
  readonly updateBaseline?: boolean | undefined;
  readonly allowUnmeasured?: boolean | undefined;
  readonly format?: CheckFormat | undefined;
  readonly json?: boolean | undefined;
}

export async function runCheck(
  files: readonly string[],
  options: CheckOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const limits = limitsOf(options);
  const { baseline, updateBaseline = false, allowUnmeasured: allowsUnmeasured = false } = options;
  if (updateBaseline && baseline === undefined)
    throw new UserError('--update-baseline needs --baseline FILE: the file to write');
  const before = baseline === undefined || updateBaseline ? null : await knownFindingsIn(baseline, context);

  const { calls, notes } = await readChecked(files, context);
  for (const part of notes) printNotes(part, (line) => context.stderr.write(`${line}\n`));
  const checked = { calls: plainData(calls), notes: sumOfNotes(notes), limits, allowsUnmeasured };
  const canUpdate = allowsUnmeasured || unmeasuredParts(checked.calls, checked.notes).length === 0;
  const known =
    baseline !== undefined && updateBaseline && canUpdate
      ? await updated(baseline, checked.calls, context)
      : before;
  const result = checkCalls({ ...checked, known });

  context.stdout.write(answer(result, formatOf(options, context), context));
  await addToJobSummary(result, context);
  return result.passed ? 0 : 1;
}

function formatOf({ json, format }: CheckOptions, { env }: CommandContext): CheckFormat {
  return json ? 'json' : (format ?? (env.GITHUB_ACTIONS === 'true' ? 'github' : 'text'));
}

function answer(result: CheckResult, format: CheckFormat, context: CommandContext): string {
  const style = createStyle(isColored(context.stdout, context.env));
  const text = () => checkText(result, { style, columns: columnsOf(context) });
  switch (format) {
    case 'json':
      return checkJson(result);
    case 'sarif':
      return checkSarif(result);
    case 'markdown':
      return checkMarkdown(result);
    case 'github':
      return withoutCommands(text()) + annotations(result);
    case 'text':
      return text();
  }
}

function limitsOf({ maxRebilled, maxFindings, minHit }: CheckOptions): Limits {
  return {
    maxRebilledTokens: wholeNumber('--max-rebilled', maxRebilled),
    maxFindings: wholeNumber('--max-findings', maxFindings),
    minHitRate: share('--min-hit', minHit),
  };
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new UserError(`${option} must be a whole number, got ${JSON.stringify(text)}`);
  return Number(text);
}

function share(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new UserError(`${option} must be a share from 0 to 1, like 0.8, got ${JSON.stringify(text)}`);
  return value;
}

async function knownFindingsIn(file: string, context: CommandContext): Promise<KnownFinding[]> {
  const text = await readFile(resolvePath(file, context), 'utf8').catch((error: unknown) => {
    throw new UserError(
      `cannot read the baseline ${file}: ${fileProblem(error)}; --update-baseline writes it`,
      { cause: error },
    );
  });
  return readKnownFindings(text, file);
}

async function updated(
  file: string,
  calls: readonly ReportedCall[],
  context: CommandContext,
): Promise<KnownFinding[]> {
  const known = calls.filter((call) => call.finding).map(knownFindingOf);
  await writeFile(resolvePath(file, context), writeKnownFindings(known)).catch((error: unknown) => {
    throw new UserError(`cannot write the baseline ${file}: ${fileProblem(error)}`, { cause: error });
  });
  return known;
}

/** A summary that cannot be written is told of; the verdict stands. */
async function addToJobSummary(result: CheckResult, context: CommandContext): Promise<void> {
  const { GITHUB_STEP_SUMMARY: file } = context.env;
  if (!file) return;
  await appendFile(resolvePath(file, context), `${checkMarkdown(result)}\n`).catch((error: unknown) => {
    context.stderr.write(`prefixtrace: the job summary could not be written: ${fileProblem(error)}\n`);
  });
}

function sumOfNotes(notes: readonly SourceNotes[]): { unreadable: NoteList; skippedLines: NoteList } {
  const sum = (pick: (part: SourceNotes) => NoteList): NoteList => ({
    count: notes.reduce((count, part) => count + pick(part).count, 0),
    first: notes.flatMap((part) => pick(part).first),
  });
  return { unreadable: sum((part) => part.unreadable), skippedLines: sum((part) => part.skippedLines) };
}
