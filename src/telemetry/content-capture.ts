/**
 * May content leave the process on spans? Off, unless the switch that all GenAI instrumentations share says so.
 *
 * `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` is `true` in the older form; in the newer one it names where
 * content may go: `NO_CONTENT`, `SPAN_ONLY`, `EVENT_ONLY`, `SPAN_AND_EVENT`. Ours goes on spans, so events alone are a no.
 */
const ALLOWS_SPANS: ReadonlySet<string> = new Set(['true', 'span_only', 'span_and_event']);

export function capturesContent(environment: NodeJS.ProcessEnv = process.env): boolean {
  const value = environment.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT ?? '';
  return ALLOWS_SPANS.has(value.trim().toLowerCase());
}
