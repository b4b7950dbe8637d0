/** Troubles of the store are said once per kind, through OpenTelemetry's `diag`, and then only counted. */
import { warn } from '../opentelemetry.ts';

export function createSayOnce(): (kind: string, message: string, detail?: unknown) => void {
  const said = new Set<string>(); // kinds are literals and error codes
  return (kind, message, detail) => {
    if (said.has(kind)) return;
    said.add(kind);
    warn(`prefixtrace: ${message} (said once)`, ...(detail === undefined ? [] : [detail]));
  };
}
