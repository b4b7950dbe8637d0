#!/usr/bin/env node
/** Entry point of the command line: hands the process over and sets its exit code. */
import { run } from './run.ts';

/** `prefixtrace … | head` closes our output early. That is how pipes end, not an error. */
function endQuietlyOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
}

process.stdout.on('error', endQuietlyOnClosedPipe);
process.stderr.on('error', endQuietlyOnClosedPipe);

// Set, not called: `process.exit` would cut off what is still being written to a pipe.
process.exitCode = await run(process.argv.slice(2), {
  // Opened where it is read.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  workingDirectory: process.cwd(),
});
