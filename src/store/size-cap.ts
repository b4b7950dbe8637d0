/**
 * The store never fills a disk: a cap per file, beyond which another is begun, and one for the directory, which other
 * processes fill as well. There old files make room for new ones, as far as they are ours.
 *
 * The directory is measured seldom: at the start, after each megabyte of ours, and, while it is full of what we may not
 * delete, every few seconds, so that recording goes on after somebody did.
 */
import { storeSizeBytes } from './directory.ts';
import { removeBeyond } from './old-files.ts';

const MEBIBYTE = 1024 * 1024;
/** 13,000 (each with a divergence) to 20,000 calls. */
export const DEFAULT_MAX_FILE_BYTES = 64 * MEBIBYTE;
export const DEFAULT_MAX_DIRECTORY_BYTES = 512 * MEBIBYTE;

const MEASURE_EVERY_BYTES = MEBIBYTE;
const TIDY_AGAIN_AFTER_MS = 5_000;

export type Full = 'file' | 'directory';

export class SizeCap {
  readonly #directory: string;
  readonly #maxFileBytes: number;
  readonly #maxDirectoryBytes: number;
  #measuredBytes = 0;
  #grantedSinceBytes = Number.POSITIVE_INFINITY; // measure at first need
  /** When old files could not make room: there is no use in asking again at each line. */
  #hopelessAtMs = 0;

  constructor(directory: string, maxFileBytes: number, maxDirectoryBytes: number) {
    this.#directory = directory;
    this.#maxFileBytes = maxFileBytes;
    this.#maxDirectoryBytes = maxDirectoryBytes;
  }

  /** `undefined`: there is room, and it is taken. */
  take(lengthBytes: number, fileBytes: number, currentFile: string): Full | undefined {
    if (fileBytes + lengthBytes > this.#maxFileBytes) return 'file';
    if (this.#grantedSinceBytes >= MEASURE_EVERY_BYTES) this.#measure();
    if (!this.#hasRoom(lengthBytes)) {
      if (Date.now() - this.#hopelessAtMs < TIDY_AGAIN_AFTER_MS) return 'directory';
      this.#tidyUp(lengthBytes, currentFile);
      if (!this.#hasRoom(lengthBytes)) {
        this.#hopelessAtMs = Date.now();
        return 'directory';
      }
    }
    this.#grantedSinceBytes += lengthBytes;
    return undefined;
  }

  #tidyUp(lengthBytes: number, currentFile: string): void {
    this.#measure(); // somebody else may have made room
    if (this.#hasRoom(lengthBytes)) return;
    try {
      removeBeyond(this.#directory, this.#measuredBytes + lengthBytes, this.#maxDirectoryBytes, currentFile);
    } catch {
      return; // may be written but not listed
    }
    this.#measure();
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
    this.#grantedSinceBytes = 0;
  }
}
