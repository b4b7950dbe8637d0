/**
 * Lets a call be recorded once where two hooks see it: a model that is observed by its results, over a transport that
 * records. The transport wins, as it sees the bytes and every attempt; the hook above it asks before it records.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface RecordingNote {
  isRecorded: boolean;
}

const notes = new AsyncLocalStorage<RecordingNote>();

/** Runs a call; what is recorded inside it is noted. */
export function runWithNote<Result>(note: RecordingNote, run: () => Result): Result {
  return notes.run(note, run);
}

/** Says to whoever observes the same call from outside that it is recorded. */
export function noteRecording(): void {
  const note = notes.getStore();
  if (note !== undefined) note.isRecorded = true;
}
