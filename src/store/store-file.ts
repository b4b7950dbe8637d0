/**
 * One file of the store, open for writing by this process alone.
 *
 * Every write names its position. As nobody else writes here, the same bytes at the same position may be written twice
 * without harm: so, at exit, a write that still hangs in the thread pool is simply done again, synchronously. Opened in
 * append mode that would leave the line in the file twice.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, write, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeStoreDirectory, newStoreFileName, OWNER_ONLY_FILE } from './directory.ts';

export class StoreFile {
  readonly path: string;
  readonly #descriptor: number;
  #endBytes = 0;

  /** Throws what the file system says: no right, no space, not a directory. */
  constructor(directory: string) {
    makeStoreDirectory(directory);
    this.path = join(directory, newStoreFileName());
    this.#descriptor = openSync(this.path, 'wx', OWNER_ONLY_FILE); // `x`: never another's file, never through a link
  }

  /** Where the next line goes. */
  get endBytes(): number {
    return this.#endBytes;
  }

  /** The next `lengthBytes` are about to be written. */
  reserve(lengthBytes: number): void {
    this.#endBytes += lengthBytes;
  }

  /**
   * Call between writes. False: somebody deleted the store under a running process, and what is written to this file now
   * nobody will ever see. A file that was emptied goes on at its new end, without a hole of zeros before it.
   */
  isUsable(): boolean {
    const { nlink, size } = fstatSync(this.#descriptor);
    this.#endBytes = Math.min(this.#endBytes, size);
    return nlink > 0;
  }

  write(bytes: Uint8Array, position: number): Promise<void> {
    return new Promise((resolve, reject) => {
      write(this.#descriptor, bytes, 0, bytes.length, position, (error, written) => {
        if (error !== null) reject(error);
        else if (written === bytes.length) resolve();
        else this.write(bytes.subarray(written), position + written).then(resolve, reject);
      });
    });
  }

  writeSync(bytes: Uint8Array, position: number): void {
    let written = 0;
    while (written < bytes.length) {
      written += writeSync(this.#descriptor, bytes, written, bytes.length - written, position + written);
    }
  }

  /** Takes back a write that failed half-way, so that no torn line is left in the middle. */
  takeBack(position: number): void {
    this.#endBytes = position;
    ftruncateSync(this.#descriptor, position);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
