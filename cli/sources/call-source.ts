/** Where reported calls come from: recorded traffic, or a store that something may still be writing. */
import { earliestFirst, type ReportedCall } from '../summary/reported-call.ts';
import type { SourceNotes } from './notes.ts';

export interface ReadProgress {
  readonly readBytes: number;
  /** `null`: no end is known, as of standard input. */
  readonly totalBytes: number | null;
  /** Of several inputs: which of them is being read, from 1. */
  readonly position?: number;
  readonly count?: number;
}

export interface CallSource {
  /** For the title: the store's folder, the file's name. */
  readonly name: string;
  /** What to do so that calls come, where that is not plain from the name. */
  readonly hint?: string;
  /** More calls may come; `read` with `follow` waits for them. */
  readonly canFollow: boolean;
  /** How far reading has come; `null` where that is not known. */
  progress?(): ReadProgress | null;
  /** Filled while reading. */
  readonly notes: SourceNotes;
  /**
   * Batches of calls, oldest first. A call that was reported before is replaced by the one with the same id.
   * Ends when all is read, or with `follow` when `signal` aborts.
   */
  read(options?: {
    readonly follow?: boolean;
    readonly signal?: AbortSignal;
  }): AsyncIterable<readonly ReportedCall[]>;
}

/** All calls that the source holds now. */
export async function readAll(source: CallSource): Promise<ReportedCall[]> {
  const calls = new Map<string, ReportedCall>();
  for await (const batch of source.read()) for (const call of batch) calls.set(call.id, call);
  return [...calls.values()].sort(earliestFirst);
}
