/**
 * Whether the host asked for silence: some code (an exporter, an evaluation run) must not be traced.
 */
import { context, createContextKey } from '@opentelemetry/api';

// The key of `isTracingSuppressed` in `@opentelemetry/core`. The API makes keys with `Symbol.for`, so the same
// description is the same key, and the import path of the SDK stays free of that package.
const SUPPRESS_TRACING_KEY = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

export function isTracingSuppressed(): boolean {
  return context.active().getValue(SUPPRESS_TRACING_KEY) === true;
}
