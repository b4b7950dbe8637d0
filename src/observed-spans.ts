/**
 * Spans under which a hook of ours saw a call. A reader of spans leaves these out, or the call would be told twice: the
 * attributes that tell of it may have come too late for the span.
 *
 * Kept by span context, as instrumentations wrap spans and pass the context of the inner one on.
 */
import { activeContext, spanOf } from './opentelemetry.ts';

const observed = new WeakSet<object>();

export function noteActiveSpan(): void {
  const spanContext = spanOf(activeContext())?.spanContext();
  if (spanContext !== undefined) observed.add(spanContext);
}

export function isObserved(span: { spanContext(): object }): boolean {
  return observed.has(span.spanContext());
}
