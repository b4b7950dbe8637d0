/**
 * Appends whole lines to this process's files of the store: queued, one write at a time, all that waits and fits in one
 * write. A file that is full is followed by another.
 *
 * Invariants: a line is on disk whole or is counted in `droppedRecords`; the host never sees an error; no timer and no
 * open file keeps the host alive. Owner of the queue; its bound is `maxQueuedBytes`.
 */
import { atExit } from '../at-exit.ts';
import { removeOlderThan } from './old-files.ts';
import { createSayOnce } from './say-once.ts';
import { DEFAULT_MAX_DIRECTORY_BYTES, DEFAULT_MAX_FILE_BYTES, type Full, SizeCap } from './size-cap.ts';
import { StoreFile } from './store-file.ts';

export interface StoreWriterOptions {
  readonly directory: string;
  /** Beyond it another file is begun. @default 64 MiB */
  readonly maxFileBytes?: number | undefined;
  /** Beyond it the oldest files are deleted; where that does not help, new records are dropped and counted. @default 512 MiB */
  readonly maxDirectoryBytes?: number | undefined;
  /** Files that were last written to before are deleted when a new one is begun. @default 30 */
  readonly maxAgeDays?: number | undefined;
  /** What may wait for a slow disk. @default 16 MiB */
  readonly maxQueuedBytes?: number | undefined;
}

interface Line {
  readonly bytes: Uint8Array;
  /** How many records (spans) it holds, for the count of dropped ones. */
  readonly records: number;
}

interface Chunk {
  readonly bytes: Uint8Array;
  readonly records: number;
  readonly file: StoreFile;
  readonly position: number;
}

const DEFAULT_MAX_QUEUED_BYTES = 16 * 1024 * 1024;
const DEFAULT_MAX_AGE_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
/** An unwritable directory is not asked again at each line. */
const REOPEN_AFTER_MS = 5_000;

export class StoreWriter {
  readonly #directory: string;
  readonly #maxQueuedBytes: number;
  readonly #maxAgeMs: number;
  readonly #cap: SizeCap;
  readonly #sayOnce = createSayOnce();
  #queue: Line[] = [];
  #queuedBytes = 0;
  #file: StoreFile | undefined;
  /** Full, and perhaps still being written to: closed when no write is on its way. */
  #fullFiles: StoreFile[] = [];
  #reopenAtMs = 0;
  #inFlight: Chunk | undefined;
  #draining: Promise<void> | undefined;
  #forgetAtExit: (() => void) | undefined;
  #isClosed = false;
  #droppedRecords = 0;

  constructor(options: StoreWriterOptions) {
    this.#directory = options.directory;
    this.#maxQueuedBytes = options.maxQueuedBytes ?? DEFAULT_MAX_QUEUED_BYTES;
    this.#maxAgeMs = (options.maxAgeDays ?? DEFAULT_MAX_AGE_DAYS) * DAY_MS;
    this.#cap = new SizeCap(
      options.directory,
      options.maxFileBytes ?? DEFAULT_MAX_FILE_BYTES,
      options.maxDirectoryBytes ?? DEFAULT_MAX_DIRECTORY_BYTES,
    );
  }

  get droppedRecords(): number {
    return this.#droppedRecords;
  }

  /** `line` is without its newline. Returns at once. */
  append(line: Uint8Array, records = 1): void {
    const bytes = Buffer.concat([line, Buffer.from('\n')]);
    if (this.#isClosed || this.#queuedBytes + bytes.length > this.#maxQueuedBytes) {
      this.#drop(records, 'queue', 'the disk is slower than what is recorded; records are dropped');
      return;
    }
    this.#queue.push({ bytes, records });
    this.#queuedBytes += bytes.length;
    this.#forgetAtExit ??= atExit({ flush: () => this.flush(), flushSync: () => this.flushSync() });
    this.#draining ??= this.#drain();
  }

  /** Resolves when all that was appended before is on disk or dropped. Never rejects. */
  async flush(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  /** For the last moment of a process: writes what waits, and once more what may be half-way (see `StoreFile`). */
  flushSync(): void {
    const unfinished = this.#inFlight;
    if (unfinished !== undefined) this.#writeSync(unfinished);
    for (let chunk = this.#nextChunk(); chunk !== undefined; chunk = this.#nextChunk())
      this.#writeSync(chunk);
  }

  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    this.#forgetAtExit?.();
    this.#closeFullFiles();
    this.#close(this.#file);
    this.#file = undefined;
  }

  #closeFullFiles(): void {
    for (const file of this.#fullFiles.splice(0)) this.#close(file);
  }

  #close(file: StoreFile | undefined): void {
    try {
      file?.close();
    } catch (error) {
      this.#sayTrouble(error);
    }
  }

  async #drain(): Promise<void> {
    await Promise.resolve(); // lines appended in the same turn go into the same write
    for (let chunk = this.#nextChunk(); chunk !== undefined; chunk = this.#nextChunk()) {
      this.#inFlight = chunk;
      try {
        await chunk.file.write(chunk.bytes, chunk.position);
      } catch (error) {
        this.#writeFailed(chunk, error);
      }
      this.#inFlight = undefined;
      this.#closeFullFiles();
    }
    this.#draining = undefined;
  }

  /** What waits and has room in one file, as one run of bytes with its place there. */
  #nextChunk(): Chunk | undefined {
    while (this.#queue.length > 0) {
      const file = this.#openFile();
      if (file === undefined) {
        this.#droppedRecords += this.#takeQueue(this.#queue.length).reduce(
          (sum, line) => sum + line.records,
          0,
        );
        return undefined;
      }
      const position = file.endBytes;
      const lines = this.#takeFitting(file);
      if (lines.length === 0) continue; // another file is due, or all of them were dropped
      const bytes = Buffer.concat(lines.map((line) => line.bytes));
      return { bytes, records: lines.reduce((sum, line) => sum + line.records, 0), file, position };
    }
    return undefined;
  }

  #takeFitting(file: StoreFile): Line[] {
    const fitting: Line[] = [];
    for (const [index, line] of this.#queue.entries()) {
      const full = this.#cap.take(line.bytes.length, file.endBytes, file.path);
      if (full === undefined) {
        file.reserve(line.bytes.length);
        fitting.push(line);
      } else if (full === 'file' && file.endBytes > 0) {
        this.#fullFiles.push(file);
        this.#file = undefined;
        this.#takeQueue(index);
        return fitting;
      } else {
        this.#dropLine(line, full);
      }
    }
    this.#takeQueue(this.#queue.length);
    return fitting;
  }

  /** The first lines of the queue, which then wait no more. */
  #takeQueue(count: number): Line[] {
    const lines = this.#queue.splice(0, count);
    for (const line of lines) this.#queuedBytes -= line.bytes.length;
    return lines;
  }

  #dropLine(line: Line, full: Full): void {
    const reason =
      full === 'file' ? 'a record is larger than a file may be' : 'it is full of files that are not ours';
    this.#drop(
      line.records,
      `full ${full}`,
      `in the store in ${this.#directory} ${reason}; records are dropped`,
    );
  }

  #openFile(): StoreFile | undefined {
    try {
      if (this.#file !== undefined && !this.#file.isUsable()) {
        this.#fullFiles.push(this.#file);
        this.#file = undefined;
      }
      if (this.#file === undefined && Date.now() >= this.#reopenAtMs) {
        this.#file = new StoreFile(this.#directory);
        this.#removeOld(this.#file.path);
      }
    } catch (error) {
      this.#reopenAtMs = Date.now() + REOPEN_AFTER_MS;
      this.#file = undefined;
      this.#sayTrouble(error);
    }
    return this.#file;
  }

  #removeOld(current: string): void {
    try {
      removeOlderThan(this.#directory, this.#maxAgeMs, current);
    } catch {
      // A directory that may be written but not listed: nothing there can be judged.
    }
  }

  #writeSync(chunk: Chunk): void {
    try {
      chunk.file.writeSync(chunk.bytes, chunk.position);
    } catch (error) {
      this.#writeFailed(chunk, error);
    }
  }

  #writeFailed(chunk: Chunk, error: unknown): void {
    this.#droppedRecords += chunk.records;
    this.#sayTrouble(error);
    try {
      chunk.file.takeBack(chunk.position);
    } catch {
      // The file is of no more use; the next line opens another.
      if (this.#file === chunk.file) this.#file = undefined;
    }
  }

  #drop(records: number, kind: string, message: string): void {
    this.#droppedRecords += records;
    this.#sayOnce(kind, message);
  }

  #sayTrouble(error: unknown): void {
    const { code = 'unknown' } = error as NodeJS.ErrnoException; // Node's file errors have a code
    this.#sayOnce(code, `cannot write to the store in ${this.#directory}; records are dropped`, code);
  }
}
