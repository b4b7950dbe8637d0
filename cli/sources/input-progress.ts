/** How far the reading of several inputs has come. */
import type { ReadProgress } from './call-source.ts';
import type { Input } from './inputs.ts';

export class InputProgress implements ReadProgress {
  readBytes = 0;
  readonly totalBytes: number | null;
  /** Of the input that is being read, from 1. */
  position = 0;
  readonly count: number;

  constructor(inputs: readonly Input[]) {
    this.count = inputs.length;
    this.totalBytes = inputs.reduce<number | null>(
      (sum, { sizeBytes }) => (sum === null || sizeBytes === null ? null : sum + sizeBytes),
      0,
    );
  }

  begin(): void {
    this.position += 1;
  }

  add(bytes: number): void {
    this.readBytes += bytes;
  }
}
