/** `prefixtrace simulate FILE…`: recorded calls under another layout or setting. Nothing is sent. */
import { loadPrices } from '../../src/cost/prices.ts';
import { loadHasher } from '../../src/fingerprint/hash.ts';
import { type CommandContext, columnsOf, type ExitCode, isColored } from '../command-context.ts';
import { UserError } from '../errors.ts';
import type { ChangeName } from '../simulate/changes/change.ts';
import { readRecording } from '../simulate/read-recording.ts';
import { simulateJson } from '../simulate/simulate-json.ts';
import { simulateText } from '../simulate/simulate-text.ts';
import { simulateLayouts } from '../simulate/simulation.ts';
import { diagnosedExchanges, inputFiles } from '../sources/diagnose-logs.ts';
import { createSourceNotes, printNotes } from '../sources/notes.ts';
import { createStyle } from '../terminal/style.ts';
import { plainData } from '../terminal/terminal-text.ts';

export interface SimulateOptions {
  readonly tools?: 'sorted' | 'first-seen' | undefined;
  readonly volatile?: 'tail' | undefined;
  readonly breakpoints?: 'advised' | undefined;
  readonly ttl?: '1h' | undefined;
  readonly json?: boolean | undefined;
}

export async function runSimulate(
  files: readonly string[],
  options: SimulateOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const notes = createSourceNotes();
  const [hasher, prices] = await Promise.all([loadHasher(), loadPrices()]);
  const recording = await readRecording(diagnosedExchanges(inputFiles(files, context), notes), hasher);
  printNotes(notes, (line) => context.stderr.write(`${line}\n`));
  const { calls } = recording;
  if (calls.length === 0) throw new UserError(`${files.join(', ')}: no call here can be simulated`);
  const simulation = simulateLayouts({ calls, changes: changesOf(options), hasher, prices });
  if (options.json) context.stdout.write(simulateJson(simulation, recording));
  else {
    const style = createStyle(isColored(context.stdout, context.env));
    const text = simulateText(plainData(simulation), recording, { style, columns: columnsOf(context) });
    context.stdout.write(text);
  }
  return 0;
}

function changesOf({ tools, volatile, breakpoints, ttl }: SimulateOptions): ChangeName[] {
  return [
    ...(tools === undefined ? [] : [`tools-${tools}` as const]),
    ...(breakpoints === undefined ? [] : [`breakpoints-${breakpoints}` as const]),
    ...(volatile === undefined ? [] : [`volatile-${volatile}` as const]),
    ...(ttl === undefined ? [] : [`ttl-${ttl}` as const]),
  ];
}
