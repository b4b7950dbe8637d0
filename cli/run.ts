/** Runs one command line and answers with its exit code; every error becomes one line on stderr. */
import { CommanderError } from 'commander';
import type { CommandContext } from './command-context.ts';
import { UserError } from './errors.ts';
import { createProgram } from './program.ts';

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
    await report(error, words.includes('--debug'), context);
    return 2;
  }
}

async function report(error: unknown, isDebug: boolean, context: CommandContext): Promise<void> {
  // Knows the width of every character: too much to load for `--help`.
  const { plainText } = await import('./terminal/terminal-text.ts');
  const message = plainText(error instanceof Error ? error.message : String(error));
  const hint =
    error instanceof UserError || isDebug ? '' : ' (this is a bug of prefixtrace; --debug prints the stack)';
  context.stderr.write(`prefixtrace: ${message}${hint}\n`);
  if (isDebug && error instanceof Error) context.stderr.write(`${error.stack ?? ''}\n`);
}
