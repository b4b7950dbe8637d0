/**
 * The store never fills a disk: a cap per file and one for the directory, which other processes fill as well.
 *
 * The directory is measured seldom: at the start, after each megabyte of ours, and, once full, every few seconds, so
 * that recording goes on after somebody deleted old files.
 */
import { storeSizeBytes } from './directory.ts';

const MEBIBYTE = 1024 * 1024;
/** 13,000 (each with a divergence) to 20,000 calls of one process. */
export const DEFAULT_MAX_FILE_BYTES = 64 * MEBIBYTE;
export const DEFAULT_MAX_DIRECTORY_BYTES = 512 * MEBIBYTE;

const MEASURE_EVERY_BYTES = MEBIBYTE;
const MEASURE_AGAIN_AFTER_MS = 5_000;

export type Full = 'file' | 'directory';

export class SizeCap {
  readonly #directory: string;
  readonly #maxFileBytes: number;
  readonly #maxDirectoryBytes: number;
  #measuredBytes = 0;
  #grantedSinceBytes = Number.POSITIVE_INFINITY; // measure at first need
  #measuredAtMs = 0;

  constructor(directory: string, maxFileBytes: number, maxDirectoryBytes: number) {
    this.#directory = directory;
    this.#maxFileBytes = maxFileBytes;
    this.#maxDirectoryBytes = maxDirectoryBytes;
  }

  /** `undefined`: there is room, and it is taken. */
  take(lengthBytes: number, fileBytes: number): Full | undefined {
    if (fileBytes + lengthBytes > this.#maxFileBytes) return 'file';
    if (this.#grantedSinceBytes >= MEASURE_EVERY_BYTES) this.#measure();
    if (!this.#hasRoom(lengthBytes)) {
      if (Date.now() - this.#measuredAtMs < MEASURE_AGAIN_AFTER_MS) return 'directory';
      this.#measure();
      if (!this.#hasRoom(lengthBytes)) return 'directory';
    }
    this.#grantedSinceBytes += lengthBytes;
    return undefined;
  }

  #hasRoom(lengthBytes: number): boolean {
    return this.#measuredBytes + this.#grantedSinceBytes + lengthBytes <= this.#maxDirectoryBytes;
  }

  #measure(): void {
    try {
      this.#measuredBytes = storeSizeBytes(this.#directory);
    } catch {
      // May be written but not listed: then our own share is all that can be counted.
      if (Number.isFinite(this.#grantedSinceBytes)) this.#measuredBytes += this.#grantedSinceBytes;
    }
    this.#measuredAtMs = Date.now();
    this.#grantedSinceBytes = 0;
  }
}
