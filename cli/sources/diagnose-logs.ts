/**
 * Exchange logs through the engine, in order, one call at a time in memory. All files are one run: a conversation may
 * go on from one file to the next.
 */
import type { DiagnosedCall } from '../../src/diagnosis.ts';
import type { Engine } from '../../src/engine.ts';
import type { Exchange } from '../../src/exchange.ts';
import type { LoggedExchange } from '../../src/logs/exchange-log.ts';
import { openLog, readLog } from '../../src/logs/open-log.ts';
import type { UsageRecord } from '../../src/usage-only/usage-record.ts';
import type { CommandContext } from '../command-context.ts';
import { UserError } from '../errors.ts';
import type { InputFile } from './input-file.ts';
import type { InputProgress } from './input-progress.ts';
import { type Input, openResolved, resolveInputs } from './inputs.ts';
import type { SourceNotes } from './notes.ts';
import { Numbering } from './numbering.ts';
import { keepHeapSmall } from './small-heap.ts';
import { eachInput } from './tolerant.ts';
import { usageOnlyCall } from './usage-only-call.ts';

/** What the words name, one after the other. A problem with one comes when it is read. */
export async function* inputFiles(
  words: readonly string[],
  context: CommandContext,
): AsyncGenerator<InputFile> {
  yield* openInputs(await resolveInputs(words, context), context);
}

/** For commands that need prompts, or make stored calls: a store has none, and is one already. */
export async function* openInputs(
  inputs: readonly Input[],
  context: CommandContext,
  progress?: InputProgress,
): AsyncGenerator<InputFile> {
  for (const input of inputs) {
    progress?.begin();
    const problem =
      input.kind === 'store'
        ? new UserError(`cannot read ${input.name}: it is a local store, which holds no prompts; name a log`)
        : input.problem;
    yield await openResolved({ ...input, problem }, context, (count) => progress?.add(count));
  }
}

/** A call of a log with what it was read from: an exchange, or where the log holds no bodies the usage alone. */
export type LoggedCall = { readonly call: DiagnosedCall } & (
  | { readonly exchange: Exchange; readonly record?: undefined }
  | { readonly record: UsageRecord; readonly exchange?: undefined }
);

export type ReadLoggedCalls = (input: InputFile) => AsyncGenerator<LoggedCall>;

/** All logs that are read by `use` share one engine and one numbering. */
export async function* inOneRun<T>(
  notes: SourceNotes,
  use: (readCalls: ReadLoggedCalls, numbering: Numbering) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const { loadPrices } = await import('../../src/cost/prices.ts');
  const { createUsageDiagnoser } = await import('../../src/usage-only/diagnose-usage.ts');
  const diagnoseUsage = createUsageDiagnoser(await loadPrices());
  const numbering = new Numbering();
  const onSkippedLine = notes.skippedLines.add.bind(notes.skippedLines);
  yield* withEngine((engine) =>
    use(async function* ({ chunks, name }) {
      const { exchanges, usageRecords } = await openLog(chunks, name, { onSkippedLine });
      if (usageRecords) {
        for await (const record of usageRecords) {
          const diagnosis = numbering.number('usage', diagnoseUsage(record), 'session-');
          yield { record, call: usageOnlyCall(diagnosis, record.usage.output) };
        }
        return;
      }
      for await (const { exchange, call } of diagnoseExchanges(exchanges, engine, notes)) {
        const diagnosis = numbering.number('exchange', call.diagnosis);
        yield { exchange, call: { ...call, diagnosis } };
      }
    }, numbering),
  );
}

export async function* diagnoseInputs(
  inputs: Iterable<InputFile> | AsyncIterable<InputFile>,
  notes: SourceNotes,
): AsyncGenerator<LoggedCall> {
  yield* inOneRun(notes, (readCalls) => eachInput(inputs, notes, readCalls));
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
  yield* withEngine((engine) =>
    eachInput(inputs, notes, ({ chunks, name }) =>
      diagnoseExchanges(readLog(chunks, name, { onSkippedLine }), engine, notes),
    ),
  );
}

export async function* withEngine<T>(use: (engine: Engine) => AsyncGenerator<T>): AsyncGenerator<T> {
  const { createEngine } = await import('../../src/diagnose.ts');
  const { createTokenCounter } = await import('../../src/tokens/counter.ts');
  keepHeapSmall();
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
