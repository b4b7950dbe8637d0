/** Files, folders and stores as one source: logs are diagnosed here and now as one run, stored calls are taken as they stand. */
import { ForeignLogError } from '../../src/logs/log-error.ts';
import { plainChunks } from '../../src/logs/plain-bytes.ts';
import type { CommandContext } from '../command-context.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import type { CallSource } from './call-source.ts';
import { inOneRun, type ReadLoggedCalls } from './diagnose-logs.ts';
import { toReportedCall } from './exchange-log.ts';
import { resolvePath } from './input-file.ts';
import { InputProgress } from './input-progress.ts';
import { type Input, openResolved } from './inputs.ts';
import { holdsStoredCalls, isOwnSpans } from './is-store.ts';
import { addNotes, createSourceNotes, type SourceNotes } from './notes.ts';
import type { Numbering } from './numbering.ts';
import { eachInput } from './tolerant.ts';

const BATCH_SIZE = 100;

export function inputsSource(inputs: readonly Input[], name: string, context: CommandContext): CallSource {
  const notes = createSourceNotes();
  const progress = new InputProgress(inputs);
  return {
    name,
    canFollow: false,
    notes,
    progress: () => progress,
    async *read() {
      yield* inOneRun(notes, (readCalls, numbering) =>
        eachInput(inputs, notes, async function* (input) {
          progress.begin();
          const run = {
            readCalls,
            numbering,
            notes,
            prefix: inputs.length === 1 ? '' : `${progress.position}/`,
          };
          if (input.kind === 'store') {
            const { localStoreSource } = await import('./local-store.ts');
            const directory = resolvePath(input.name, context);
            yield* storedCalls(localStoreSource(directory, input.name), run);
            progress.add(input.sizeBytes ?? 0);
          } else {
            yield* fileCalls(input, run, progress, context);
          }
        }),
      );
    },
  };
}

interface Run {
  readonly readCalls: ReadLoggedCalls;
  readonly numbering: Numbering;
  readonly notes: SourceNotes;
  /** Lineages of another store may bear the same names. */
  readonly prefix: string;
}

async function* fileCalls(
  input: Input,
  run: Run,
  progress: InputProgress,
  context: CommandContext,
): AsyncGenerator<readonly ReportedCall[]> {
  const { name, chunks } = await openResolved(input, context, (count) => progress.add(count));
  const held = await plainChunks(chunks, name);
  const beginning = await held.beginning();
  const file = { name, chunks: held.replay() };
  if (!holdsStoredCalls(beginning)) {
    yield* loggedCalls(run.readCalls(file));
    return;
  }
  const { otlpFileSource } = await import('./local-store.ts');
  let hasCalls = false;
  for await (const calls of storedCalls(otlpFileSource(file), run)) {
    hasCalls ||= calls.length > 0;
    yield calls;
  }
  if (!hasCalls && !isOwnSpans(beginning)) throw new ForeignLogError(`${name} holds no spans of model calls`);
}

async function* loggedCalls(calls: ReturnType<ReadLoggedCalls>): AsyncGenerator<ReportedCall[]> {
  let batch: ReportedCall[] = [];
  try {
    for await (const { call } of calls) {
      batch.push(toReportedCall(call));
      if (batch.length < BATCH_SIZE) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    // What was read before a file broke off is true.
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}

async function* storedCalls(
  source: CallSource,
  { numbering, notes, prefix }: Run,
): AsyncGenerator<ReportedCall[]> {
  for await (const calls of source.read())
    yield calls.map((call) => numbering.number(source.name, call, prefix));
  addNotes(source.notes, notes);
}
