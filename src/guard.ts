/**
 * The wall between our code and the host's call: whatever happens on our side of it, the host does not notice.
 *
 * Faults are reported once per kind through OpenTelemetry's `diag`, never on the console: a library that prints is a
 * library that breaks somebody's JSON output. Kinds are literals, so the memory of what was reported is bounded.
 */
import { warn } from './opentelemetry.ts';

const reportedKinds = new Set<string>();

/** Runs a step of ours; a throw is reported and becomes `undefined`. */
export function guard<Result>(kind: string, step: () => Result): Result | undefined {
  try {
    return step();
  } catch (error) {
    report(kind, error);
    return undefined;
  }
}

/** As `guard`, for a step that takes time: the promise always fulfils. */
export async function guardAsync<Result>(
  kind: string,
  step: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await step();
  } catch (error) {
    report(kind, error);
    return undefined;
  }
}

/** Says once per `kind` that something of ours did not work. */
export function report(kind: string, detail: unknown): void {
  if (reportedKinds.has(kind)) return;
  reportedKinds.add(kind);
  try {
    const message = `prefixtrace: ${kind}. The call itself is not affected; this is reported once.`;
    warn(message, detail instanceof Error ? withoutContent(detail) : detail);
  } catch {
    // The host's own logger failed. There is nobody left to tell.
  }
}

/**
 * Where an error arose, without its message: those of a parser quote what it read, those of a host's function may quote
 * anything. Messages of the system are made of a code and an address, and say what to do.
 */
function withoutContent(error: Error): string {
  if ('syscall' in error) return error.message;
  const frames = error.stack?.split('\n').filter((line) => /^\s+at .*:\d+:\d+\)?$/.test(line)) ?? [];
  return [error.name, ...frames].join('\n');
}
