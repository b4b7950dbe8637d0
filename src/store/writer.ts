/**
 * Appends whole lines to this process's file of the store: queued, one write at a time, all that waits in one write.
 *
 * Invariants: a line is on disk whole or is counted in `droppedRecords`; the host never sees an error; no timer and no
 * open file keeps the host alive. Owner of the queue; its bound is `maxQueuedBytes`.
 */
import { atExit } from '../at-exit.ts';
import { createSayOnce } from './say-once.ts';
import { DEFAULT_MAX_DIRECTORY_BYTES, DEFAULT_MAX_FILE_BYTES, SizeCap } from './size-cap.ts';
import { StoreFile } from './store-file.ts';

export interface StoreWriterOptions {
  readonly directory: string;
  /** Beyond it this process drops and counts. @default 64 MiB */
  readonly maxFileBytes?: number | undefined;
  /** Beyond it every process drops and counts. @default 512 MiB */
  readonly maxDirectoryBytes?: number | undefined;
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
/** An unwritable directory is not asked again at each line. */
const REOPEN_AFTER_MS = 5_000;

export class StoreWriter {
  readonly #directory: string;
  readonly #maxQueuedBytes: number;
  readonly #cap: SizeCap;
  readonly #sayOnce = createSayOnce();
  #queue: Line[] = [];
  #queuedBytes = 0;
  #file: StoreFile | undefined;
  #reopenAtMs = 0;
  #inFlight: Chunk | undefined;
  #draining: Promise<void> | undefined;
  #forgetAtExit: (() => void) | undefined;
  #isClosed = false;
  #droppedRecords = 0;

  constructor(options: StoreWriterOptions) {
    this.#directory = options.directory;
    this.#maxQueuedBytes = options.maxQueuedBytes ?? DEFAULT_MAX_QUEUED_BYTES;
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
    const chunk = this.#nextChunk();
    if (chunk !== undefined) this.#writeSync(chunk);
  }

  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    this.#forgetAtExit?.();
    this.#closeFile();
  }

  #closeFile(): void {
    const file = this.#file;
    this.#file = undefined;
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
    }
    this.#draining = undefined;
  }

  /** All that waits and has room, as one run of bytes with its place in the file. */
  #nextChunk(): Chunk | undefined {
    const lines = this.#queue;
    this.#queue = [];
    this.#queuedBytes = 0;
    if (lines.length === 0) return undefined;
    const file = this.#openFile();
    const position = file?.endBytes ?? 0;
    const fitting = lines.filter((line) => file !== undefined && this.#takeRoom(line, file));
    for (const line of lines) if (file === undefined) this.#droppedRecords += line.records;
    if (file === undefined || fitting.length === 0) return undefined;
    const bytes = Buffer.concat(fitting.map((line) => line.bytes));
    const records = fitting.reduce((sum, line) => sum + line.records, 0);
    return { bytes, records, file, position };
  }

  #takeRoom(line: Line, file: StoreFile): boolean {
    const full = this.#cap.take(line.bytes.length, file.endBytes);
    if (full === undefined) {
      file.reserve(line.bytes.length);
      return true;
    }
    const advice = full === 'file' ? 'of this process' : 'as a whole: delete old files there';
    this.#drop(
      line.records,
      `full ${full}`,
      `the store in ${this.#directory} is full (${advice}); records are dropped`,
    );
    return false;
  }

  #openFile(): StoreFile | undefined {
    try {
      if (this.#file !== undefined && !this.#file.isUsable()) this.#closeFile();
      if (this.#file === undefined && Date.now() >= this.#reopenAtMs)
        this.#file = new StoreFile(this.#directory);
    } catch (error) {
      this.#reopenAtMs = Date.now() + REOPEN_AFTER_MS;
      this.#file = undefined;
      this.#sayTrouble(error);
    }
    return this.#file;
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
      this.#file = undefined;
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
