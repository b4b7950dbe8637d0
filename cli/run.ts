/** Runs one command line and answers with its exit code; every error becomes one line on stderr. */
import { CommanderError } from 'commander';
import type { CommandContext } from './command-context.ts';
import { UserError } from './errors.ts';
import { createProgram } from './program.ts';
import { plainText } from './terminal/terminal-text.ts';

export async function run(words: readonly string[], context: CommandContext): Promise<number> {
  let exitCode = 0;
  try {
    const program = createProgram(context, (code) => {
      exitCode = code;
    });
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed its message, help or version already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    report(error, words.includes('--debug'), context);
    return 2;
  }
}

function report(error: unknown, isDebug: boolean, context: CommandContext): void {
  const message = plainText(error instanceof Error ? error.message : String(error));
  const hint =
    error instanceof UserError || isDebug ? '' : ' (this is a bug of prefixtrace; --debug prints the stack)';
  context.stderr.write(`prefixtrace: ${message}${hint}\n`);
  if (isDebug && error instanceof Error) context.stderr.write(`${error.stack ?? ''}\n`);
}
