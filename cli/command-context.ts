/**
 * What a command may touch of its process. Tests hand in their own, so a command never reaches for `process`.
 */
export interface TextOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export interface CommandContext {
  readonly stdin: AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean | undefined };
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
}

/** 0 fine, 1 found what it was asked to look for, 2 usage or I/O error. */
export type ExitCode = 0 | 1 | 2;

export function isColored(output: TextOutput, env: CommandContext['env']): boolean {
  return output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** Ink draws nothing under CI, so there a "terminal" is treated as a plain one. */
export function isInteractive(context: CommandContext): boolean {
  return (
    context.stdout.isTTY === true &&
    context.stdin.isTTY === true &&
    !context.env.CI &&
    context.env.TERM !== 'dumb'
  );
}

const DEFAULT_COLUMNS = 80;
/** Wider lines than this are harder to read than two short ones. */
const MAX_COLUMNS = 120;

export function columnsOf(context: CommandContext): number {
  const columns = context.stdout.columns ?? Number(context.env.COLUMNS);
  return Number.isFinite(columns) && columns > 0 ? Math.min(columns, MAX_COLUMNS) : DEFAULT_COLUMNS;
}
