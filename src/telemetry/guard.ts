/**
 * Nothing of ours may break the host: every step runs in `guard`, which reports once per kind and goes on.
 *
 * Reports go to OpenTelemetry's `diag`, which is silent until the application gives it a logger; never to the console.
 */
import { diag } from '@opentelemetry/api';

const reported = new Set<string>(); // kinds are literals in this folder, so the set is small

export function guard<T>(kind: string, step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    reportOnce(kind, error);
    return undefined;
  }
}

export async function guardAsync(kind: string, step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (error) {
    reportOnce(kind, error);
  }
}

export function reportOnce(kind: string, detail: unknown): void {
  if (reported.has(kind)) return;
  reported.add(kind);
  diag.warn(`prefixtrace: ${kind} (said once)`, detail);
}
