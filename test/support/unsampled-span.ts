/** Runs what is inside a span that the application's sampler left out. */
import { context, ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterAll, beforeAll } from 'vitest';

const unsampled = trace.wrapSpanContext({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  traceFlags: TraceFlags.NONE,
});

/** To be called inside a `describe`: what runs there has a context manager. */
export function useUnsampledSpan(): <Result>(run: () => Result) => Result {
  const contextManager = new AsyncLocalStorageContextManager();
  beforeAll(() => {
    context.setGlobalContextManager(contextManager.enable());
  });
  afterAll(() => context.disable());
  return (run) => context.with(trace.setSpan(ROOT_CONTEXT, unsampled), run);
}
