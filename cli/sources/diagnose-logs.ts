/**
 * Exchange logs through the engine, in order, one call at a time in memory. All files are one run: a conversation may
 * go on from one file to the next.
 */
import type { DiagnosedCall } from '../../src/diagnosis.ts';
import { readExchangeLog } from '../../src/logs/exchange-log.ts';
import { LogError } from '../../src/logs/log-error.ts';
import type { CommandContext } from '../command-context.ts';
import { UserError } from '../errors.ts';
import { checkInput, type InputFile, openInput } from './input-file.ts';
import type { SourceNotes } from './notes.ts';

export async function* diagnoseFiles(
  paths: readonly string[],
  context: CommandContext,
  notes: SourceNotes,
): AsyncGenerator<DiagnosedCall> {
  for (const path of paths) await checkInput(path, context);
  yield* diagnoseInputs(openEach(paths, context), notes);
}

async function* openEach(paths: readonly string[], context: CommandContext): AsyncGenerator<InputFile> {
  for (const path of paths) yield await openInput(path, context);
}

export async function* diagnoseInputs(
  inputs: Iterable<InputFile> | AsyncIterable<InputFile>,
  notes: SourceNotes,
): AsyncGenerator<DiagnosedCall> {
  const { createEngine } = await import('../../src/diagnose.ts');
  const engine = await createEngine();
  for await (const input of inputs) {
    const onSkippedLine = notes.skippedLines.add.bind(notes.skippedLines);
    try {
      for await (const { exchange, source } of readExchangeLog(input.chunks, input.name, { onSkippedLine })) {
        const call = engine.start(exchange).finish(exchange.response);
        if ('unreadable' in call) notes.unreadable.add({ source, reason: call.unreadable });
        else yield { ...call, diagnosis: { ...call.diagnosis, source } };
      }
    } catch (error) {
      if (error instanceof LogError) throw new UserError(error.message, { cause: error });
      throw error;
    }
  }
}
