/**
 * One call to two sinks: exported, and kept in the local store.
 *
 * Only the first sees the span that is active. The second gets no more than its place in the trace: the facts of a call
 * that lie on a span of the application's would else be missing from a store that this span never reaches.
 */
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import type { CallSink, OpenCall } from '../call-sink.ts';
import type { ExchangeRequest } from '../exchange.ts';
import { isSuppressed } from '../telemetry/active-span.ts';

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
  const active = context.active();
  if (isSuppressed(active)) return undefined;
  const spanContext = trace.getSpanContext(active);
  const place = spanContext === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContext);
  return context.with(place, () => sink.open(request));
}
