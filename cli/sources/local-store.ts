/** The local store, and any file of OTLP JSON Lines, as a source. A store can be followed while it is written. */

import { readLines } from '../../src/logs/lines.ts';
import { storeSizeBytes } from '../../src/store/directory.ts';
import { follow } from '../../src/store/follow.ts';
import type { StoredSpan } from '../../src/store/otlp-json.ts';
import { ReadReport } from '../../src/store/read-report.ts';
import { readSpans } from '../../src/store/reader.ts';
import type { CallSource } from './call-source.ts';
import type { InputFile } from './input-file.ts';
import { createSourceNotes, type SourceNotes } from './notes.ts';
import { Queue } from './queue.ts';
import { SpanJoiner } from './span-joiner.ts';

export function localStoreSource(directory: string, name: string): CallSource {
  const notes = createSourceNotes();
  let readOnce: ReadReport | null = null;
  return {
    name,
    canFollow: true,
    notes,
    progress: () => readOnce && { readBytes: readOnce.bytes, totalBytes: storeSizeBytes(directory) },
    async *read({ follow: isFollowed = false, signal = new AbortController().signal } = {}) {
      const report = new ReadReport();
      const joiner = new SpanJoiner(notes.unreadable);
      if (isFollowed) {
        for await (const spans of followed(directory, signal, report)) yield joiner.add(spans);
      } else {
        readOnce = report;
        for await (const spans of batches(readSpans(directory, report))) yield joiner.add(spans);
      }
      noteBadLines(report, notes);
    },
  };
}

/** A file of a collector, say. `-` works too, so it is read as a stream and not by name. */
export function otlpFileSource(input: InputFile): CallSource {
  const notes = createSourceNotes();
  return {
    name: input.name,
    canFollow: false,
    notes,
    async *read() {
      const report = new ReadReport();
      const joiner = new SpanJoiner(notes.unreadable);
      for await (const line of readLines(input.chunks)) {
        const spans = line.isUnended
          ? report.spansOfRest(line.text ?? undefined, input.name)
          : report.spansOfLine(line.text ?? undefined, input.name, line.number);
        const calls = joiner.add(spans);
        if (calls.length > 0) yield calls;
      }
      noteBadLines(report, notes);
    },
  };
}

const BATCH_SIZE = 500;

async function* batches(spans: AsyncIterable<StoredSpan>): AsyncGenerator<StoredSpan[]> {
  let batch: StoredSpan[] = [];
  for await (const span of spans) {
    batch.push(span);
    if (batch.length === BATCH_SIZE) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

function followed(directory: string, signal: AbortSignal, report: ReadReport): AsyncIterable<StoredSpan[]> {
  const queue = new Queue<StoredSpan[]>();
  follow(directory, (spans) => queue.push(spans), signal, { report }).then(
    () => queue.end(),
    (error: unknown) => queue.fail(error),
  );
  return queue;
}

/** A torn last line is a process that is still writing: no problem, and nothing to tell. */
function noteBadLines(report: ReadReport, notes: SourceNotes): void {
  for (const { file, line, reason } of report.named)
    notes.skippedLines.add({ source: `${file}:${line}`, reason });
  notes.skippedLines.count = report.badLines;
}
