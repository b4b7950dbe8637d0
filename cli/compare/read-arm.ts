/** One arm of a comparison: every file of it is a run of its own, diagnosed by itself; a local store is one run. */
import type { CommandContext } from '../command-context.ts';
import { UserError } from '../errors.ts';
import { readAll } from '../sources/call-source.ts';
import { type Input, resolveInputs } from '../sources/inputs.ts';
import { inputsSource } from '../sources/inputs-source.ts';
import { printNotes } from '../sources/notes.ts';
import { plainText } from '../terminal/terminal-text.ts';
import type { Arm, Run } from './comparison.ts';
import { runFigures } from './run-figures.ts';

export async function readArm(word: string, context: CommandContext): Promise<Arm> {
  const inputs = await resolveInputs([word], context);
  const runs: Run[] = [];
  for (const input of inputs) {
    try {
      runs.push(await readRun(input, context));
    } catch (error) {
      // A file beside the runs of a folder is told of; the only one is wanted.
      if (inputs.length === 1 || !(error instanceof UserError)) throw error;
      context.stderr.write(`prefixtrace: left out: ${plainText(error.message)}\n`);
    }
  }
  if (runs.length === 0) throw new UserError(`${word} holds no run that can be compared`);
  return { name: word, runs };
}

async function readRun(input: Input, context: CommandContext): Promise<Run> {
  const source = inputsSource([input], input.name, context);
  const calls = await readAll(source);
  const { notes } = source;
  printNotes(notes, (line) => context.stderr.write(`${line}\n`));
  if (calls.length === 0) throw new UserError(`${input.name} holds no call that can be diagnosed`);
  return {
    name: input.name,
    unreadParts: notes.unreadable.count + notes.skippedLines.count + notes.unreadFiles.count,
    ...runFigures(calls),
  };
}
