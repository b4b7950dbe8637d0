/**
 * Exchange logs through the engine, in order, one call at a time in memory. All files are one run: a conversation may
 * go on from one file to the next.
 */
import type { DiagnosedCall } from '../../src/diagnosis.ts';
import type { Engine } from '../../src/engine.ts';
import type { Exchange } from '../../src/exchange.ts';
import type { LoggedExchange } from '../../src/logs/exchange-log.ts';
import { LogError } from '../../src/logs/log-error.ts';
import { openLog, readLog } from '../../src/logs/open-log.ts';
import type { UsageRecord } from '../../src/usage-only/usage-record.ts';
import type { CommandContext } from '../command-context.ts';
import { UserError } from '../errors.ts';
import { checkInput, type InputFile, openInput } from './input-file.ts';
import type { SourceNotes } from './notes.ts';
import { usageOnlyCall } from './usage-only-call.ts';

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
  const { loadPrices } = await import('../../src/cost/prices.ts');
  const { createUsageDiagnoser } = await import('../../src/usage-only/diagnose-usage.ts');
  const { Numbering } = await import('./numbering.ts');
  const diagnoseUsage = createUsageDiagnoser(await loadPrices());
  const numbering = new Numbering();
  const readUsage = async function* (records: AsyncIterable<UsageRecord>) {
    for await (const record of records) yield numbering.number('usage', usageOnlyCall(diagnoseUsage(record)));
  };
  yield* withEngine(async function* (engine) {
    for await (const input of inputs) {
      yield* told(async function* () {
        const onSkippedLine = notes.skippedLines.add.bind(notes.skippedLines);
        const { exchanges, usageRecords } = await openLog(input.chunks, input.name, { onSkippedLine });
        if (usageRecords) yield* readUsage(usageRecords);
        else
          for await (const { call } of diagnoseExchanges(exchanges, engine, notes))
            yield numbering.number('exchange', call);
      });
    }
  });
}

export interface DiagnosedExchange {
  readonly exchange: Exchange;
  readonly call: DiagnosedCall;
}

/** Calls with their exchanges: a transcript without bodies has none, and is refused. */
export async function* diagnosedExchanges(
  inputs: Iterable<InputFile> | AsyncIterable<InputFile>,
  notes: SourceNotes,
): AsyncGenerator<DiagnosedExchange> {
  const onSkippedLine = notes.skippedLines.add.bind(notes.skippedLines);
  yield* withEngine(async function* (engine) {
    for await (const input of inputs)
      yield* told(() =>
        diagnoseExchanges(readLog(input.chunks, input.name, { onSkippedLine }), engine, notes),
      );
  });
}

async function* withEngine<T>(use: (engine: Engine) => AsyncGenerator<T>): AsyncGenerator<T> {
  const { createEngine } = await import('../../src/diagnose.ts');
  const { createTokenCounter } = await import('../../src/tokens/counter.ts');
  const tokenCounter = createTokenCounter();
  const engine = await createEngine({ tokenCounter });
  try {
    yield* use(engine);
  } finally {
    await tokenCounter.close();
  }
}

async function* diagnoseExchanges(
  exchanges: AsyncIterable<LoggedExchange>,
  engine: Engine,
  notes: SourceNotes,
): AsyncGenerator<DiagnosedExchange> {
  for await (const { exchange, source } of exchanges) {
    const started = engine.start(exchange);
    await started.prepare?.(exchange.response);
    const call = started.finish(exchange.response);
    if ('unreadable' in call) notes.unreadable.add({ source, reason: call.unreadable });
    else yield { exchange, call: { ...call, diagnosis: { ...call.diagnosis, source } } };
  }
}

async function* told<T>(read: () => AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* read();
  } catch (error) {
    if (error instanceof LogError) throw new UserError(error.message, { cause: error });
    throw error;
  }
}
