/**
 * Tells the application of a finding, after the call that it is about went on: in a later turn of the event loop, guarded,
 * and never awaited.
 */
import type { DiagnosedCall, Diagnosis } from '../diagnosis.ts';
import type { Unreadable } from '../engine.ts';
import { guardAsync } from '../guard.ts';

/** A promise that it returns is not waited for. */
export type FindingListener = (finding: Diagnosis) => void | Promise<void>;

export function tellOfFinding(listener: FindingListener | undefined, call: DiagnosedCall | Unreadable): void {
  if (listener === undefined || 'unreadable' in call || !call.diagnosis.finding) return;
  const { diagnosis } = call;
  setImmediate(() => void guardAsync('a listener for findings failed', async () => listener(diagnosis)));
}

/** Resolves when all that were told of so far have been told: immediates run in order. */
export function findingsTold(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
