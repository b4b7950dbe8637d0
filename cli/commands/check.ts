/** `prefixtrace check FILE…`: for CI. Exit 1 when a run falls short of its limits, or could not be measured. */
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { annotations, withoutCommands } from '../check/annotations.ts';
import { checkJson } from '../check/check-json.ts';
import { checkMarkdown } from '../check/check-markdown.ts';
import { type CheckFigures, type CheckResult, checkFigures, figuresOf } from '../check/check-result.ts';
import { checkText } from '../check/check-text.ts';
import { type KnownFinding, readKnownFindings, writeKnownFindings } from '../check/known-findings.ts';
import { type Limits, unmeasuredParts } from '../check/limits.ts';
import { checkSarif } from '../check/sarif.ts';
import { type CommandContext, columnsOf, type ExitCode, isColored } from '../command-context.ts';
import { fileProblem, UserError } from '../errors.ts';
import { resolvePath } from '../sources/input-file.ts';
import { readLean } from '../sources/lean-call.ts';
import { printNotes, type SourceNotes } from '../sources/notes.ts';
import { openSource } from '../sources/open-source.ts';
import { refuseRange, type ServerOptions } from '../sources/server-options.ts';
import { withProgressLine } from '../terminal/progress-line.ts';
import { createStyle } from '../terminal/style.ts';
import { plainData } from '../terminal/terminal-text.ts';

type CheckFormat = 'text' | 'github' | 'sarif' | 'markdown' | 'json';

/** As given on the command line. */
export interface CheckOptions extends ServerOptions {
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

  const { figures, notes } = await figuresFor(files, options, context);
  printNotes(notes, (line) => context.stderr.write(`${line}\n`));
  const canUpdate = allowsUnmeasured || unmeasuredParts(figures, notes).length === 0;
  const known =
    baseline !== undefined && updateBaseline && canUpdate
      ? await updated(baseline, figures.groups, context)
      : before;
  const result = checkFigures({ figures, notes, limits, known, allowsUnmeasured });

  context.stdout.write(answer(result, formatOf(options, context), context));
  await addToJobSummary(result, context);
  return result.passed ? 0 : 1;
}

async function figuresFor(
  files: readonly string[],
  options: CheckOptions,
  context: CommandContext,
): Promise<{ readonly figures: CheckFigures; readonly notes: SourceNotes }> {
  if (options.source !== undefined) {
    const { withServer } = await import('../sources/clickhouse/open-server.ts');
    return withServer(files, options, context, async ({ summary }) => ({
      figures: plainData(await summary.checkFigures()),
      notes: summary.notes,
    }));
  }
  refuseRange(options);
  const source = withProgressLine(await openSource(files, context), context);
  return { figures: figuresOf(plainData(await readLean(source))), notes: source.notes };
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
  groups: readonly KnownFinding[],
  context: CommandContext,
): Promise<KnownFinding[]> {
  const known = groups.map(({ cause, phase, place }) => ({ cause, phase, place }));
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
