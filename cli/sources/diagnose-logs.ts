/**
 * Exchange logs through the engine, in order, one call at a time in memory. All files are one run: a conversation may
 * go on from one file to the next.
 */
import type { DiagnosedCall } from '../../src/diagnosis.ts';
import type { Engine } from '../../src/engine.ts';
import type { Exchange } from '../../src/exchange.ts';
import { LogError } from '../../src/logs/log-error.ts';
import { readLog } from '../../src/logs/open-log.ts';
import type { CommandContext } from '../command-context.ts';
import { UserError } from '../errors.ts';
import { checkInput, type InputFile, openInput } from './input-file.ts';
import type { SourceNotes } from './notes.ts';

export async function* diagnoseFiles(
  paths: readonly string[],
  context: CommandContext,
  notes: SourceNotes,
): AsyncGenerator<DiagnosedCall> {
  yield* diagnoseInputs(inputFiles(paths, context), notes);
}

/** One after the other, all of them checked first. */
export async function* inputFiles(
  paths: readonly string[],
  context: CommandContext,
): AsyncGenerator<InputFile> {
  for (const path of paths) await checkInput(path, context);
  for (const path of paths) yield await openInput(path, context);
}

export async function* diagnoseInputs(
  inputs: Iterable<InputFile> | AsyncIterable<InputFile>,
  notes: SourceNotes,
): AsyncGenerator<DiagnosedCall> {
  for await (const { call } of diagnosedExchanges(inputs, notes)) yield call;
}

export interface DiagnosedExchange {
  readonly exchange: Exchange;
  readonly call: DiagnosedCall;
}

export async function* diagnosedExchanges(
  inputs: Iterable<InputFile> | AsyncIterable<InputFile>,
  notes: SourceNotes,
): AsyncGenerator<DiagnosedExchange> {
  const { createEngine } = await import('../../src/diagnose.ts');
  const { createTokenCounter } = await import('../../src/tokens/counter.ts');
  const tokenCounter = createTokenCounter();
  const engine = await createEngine({ tokenCounter });
  try {
    for await (const input of inputs) yield* diagnoseInput(input, engine, notes);
  } finally {
    await tokenCounter.close();
  }
}

async function* diagnoseInput(
  input: InputFile,
  engine: Engine,
  notes: SourceNotes,
): AsyncGenerator<DiagnosedExchange> {
  const onSkippedLine = notes.skippedLines.add.bind(notes.skippedLines);
  try {
    for await (const { exchange, source } of readLog(input.chunks, input.name, { onSkippedLine })) {
      const started = engine.start(exchange);
      await started.prepare?.(exchange.response);
      const call = started.finish(exchange.response);
      if ('unreadable' in call) notes.unreadable.add({ source, reason: call.unreadable });
      else yield { exchange, call: { ...call, diagnosis: { ...call.diagnosis, source } } };
    }
  } catch (error) {
    if (error instanceof LogError) throw new UserError(error.message, { cause: error });
    throw error;
  }
}
