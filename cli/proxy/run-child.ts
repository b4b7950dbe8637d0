/** Runs a command on our own terminal, as if it had been started directly, and answers with the exit code that a shell would show. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { CommandContext } from '../command-context.ts';
import { plainText } from '../terminal/terminal-text.ts';
import { onSignals } from './signals.ts';

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const KILLED = 128;

/** Sent by a terminal to all its processes at once. */
const KEYBOARD_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
const OTHER_SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR2'];

export async function runChild(
  [command = '', ...words]: readonly string[],
  environment: CommandContext['env'],
  context: CommandContext,
): Promise<number> {
  const child = spawn(command, words, {
    stdio: 'inherit',
    env: environment,
    cwd: context.workingDirectory,
  });
  const hasTerminal = [context.stdin, context.stdout, context.stderr].some(({ isTTY }) => isTTY);
  const stopListening = onSignals([...KEYBOARD_SIGNALS, ...OTHER_SIGNALS], (signal) => {
    // The command has had it from the terminal; a second one would mean "at once" to many programs.
    if (!(hasTerminal && KEYBOARD_SIGNALS.includes(signal))) child.kill(signal);
  });
  try {
    return await new Promise<number>((resolve) => {
      child.on('exit', (code, signal) => resolve(code ?? KILLED + (signal ? constants.signals[signal] : 0)));
      child.on('error', ({ code, message }: NodeJS.ErrnoException) => {
        const problem =
          code === 'ENOENT' ? 'no such command' : code === 'EACCES' ? 'permission denied' : message;
        context.stderr.write(`prefixtrace: cannot run ${plainText(command)}: ${problem}\n`);
        resolve(code === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE);
      });
    });
  } finally {
    stopListening();
  }
}
