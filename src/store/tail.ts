/**
 * The growing end of one file: remembers how far it has read, and holds the start of a line until its newline comes.
 */
import { open } from 'node:fs/promises';
import { LineSplitter } from './line-splitter.ts';
import type { StoredSpan } from './otlp-json.ts';
import type { ReadReport } from './read-report.ts';

const READ_BYTES = 64 * 1024;

export class Tail {
  readonly #file: string;
  readonly #report: ReadReport;
  #splitter = new LineSplitter();
  #readBytes = 0;
  #line = 0;

  constructor(file: string, report: ReadReport) {
    this.#file = file;
    this.#report = report;
  }

  /** What was written since the last time. A file that cannot be opened (any more) has nothing new. */
  async *newSpans(): AsyncGenerator<StoredSpan[]> {
    const handle = await open(this.#file, 'r').catch(() => undefined);
    if (handle === undefined) return;
    try {
      const { size } = await handle.stat();
      if (size < this.#readBytes) this.#startAgain();
      while (this.#readBytes < size) {
        const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, size - this.#readBytes));
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, this.#readBytes);
        if (bytesRead === 0) return;
        this.#readBytes += bytesRead;
        const spans = this.#spansOf(buffer.subarray(0, bytesRead));
        if (spans.length > 0) yield spans;
      }
    } finally {
      await handle.close();
    }
  }

  #spansOf(bytes: Buffer): StoredSpan[] {
    const spans: StoredSpan[] = [];
    for (const text of this.#splitter.push(bytes)) {
      this.#line += 1;
      for (const span of this.#report.spansOfLine(text, this.#file, this.#line)) spans.push(span);
    }
    return spans;
  }

  /** It became shorter: somebody emptied it and other lines will follow. */
  #startAgain(): void {
    this.#splitter = new LineSplitter();
    this.#readBytes = 0;
    this.#line = 0;
  }
}
