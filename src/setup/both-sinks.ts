/**
 * One call to two sinks: exported, and kept in the local store.
 *
 * Only the first sees the span that is active. The second gets no more than its place in the trace: the facts of a call
 * that lie on a span of the application's would else be missing from a store that this span never reaches.
 */
import type { CallSink, OpenCall } from '../call-sink.ts';
import type { ExchangeRequest } from '../exchange.ts';
import {
  activeContext,
  isSuppressed,
  placeholderSpan,
  ROOT_CONTEXT,
  runInContext,
  spanOf,
  withSpan,
} from '../opentelemetry.ts';

export function bothSinks(exporting: CallSink, storing: CallSink): CallSink {
  return {
    open(request) {
      const exported = exporting.open(request);
      const stored = openWithoutSpan(storing, request);
      return {
        end(call, response) {
          exported.end(call, response);
          stored?.end(call, response);
        },
      };
    },
    spend: (path, durationMs) => exporting.spend?.(path, durationMs),
    async flush() {
      await Promise.all([exporting.flush(), storing.flush()]);
    },
    async shutdown() {
      await Promise.all([exporting.shutdown(), storing.shutdown()]);
    },
  };
}

function openWithoutSpan(sink: CallSink, request: ExchangeRequest): OpenCall | undefined {
  const active = activeContext();
  if (isSuppressed(active)) return undefined;
  const span = spanOf(active);
  const place =
    span === undefined ? ROOT_CONTEXT : withSpan(ROOT_CONTEXT, placeholderSpan(span.spanContext()));
  return runInContext(place, () => sink.open(request));
}
