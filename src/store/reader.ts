/**
 * Reads a store (a directory, or one file of OTLP JSON Lines) from beginning to end, line by line, in bounded memory.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { storeFiles } from './directory.ts';
import { LineSplitter } from './line-splitter.ts';
import type { StoredSpan } from './otlp-json.ts';
import { ReadReport } from './read-report.ts';

/** Rejects where `path` does not exist or may not be read. Fills `report` as it goes. */
export async function* readSpans(path: string, report = new ReadReport()): AsyncGenerator<StoredSpan> {
  const isDirectory = (await stat(path)).isDirectory();
  if (!isDirectory) yield* readFileSpans(path, report);
  else for (const file of storeFiles(path)) yield* readIfThere(file, report);
}

/** A running process may delete an old file after we listed it. */
async function* readIfThere(file: string, report: ReadReport): AsyncGenerator<StoredSpan> {
  try {
    yield* readFileSpans(file, report);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // Node's file errors have a code
  }
}

async function* readFileSpans(file: string, report: ReadReport): AsyncGenerator<StoredSpan> {
  const splitter = new LineSplitter();
  let line = 0;
  for await (const bytes of createReadStream(file)) {
    report.bytes += bytes.length;
    for (const text of splitter.push(bytes as Buffer)) {
      // without an encoding a read stream yields buffers
      line += 1;
      yield* report.spansOfLine(text, file, line);
    }
  }
  yield* report.spansOfRest(splitter.rest(), file);
}
