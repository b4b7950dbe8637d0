/**
 * The application's own tracing, if it has any.
 *
 * What is registered, and what an application gets by `trace.getTracerProvider()` to hand to us, is the API's proxy. Its
 * `getDelegateTracer` is undefined exactly while nobody registered (@opentelemetry/api 1.9.1). The test is by shape: with
 * two copies of the API the proxy is of the other one's class.
 */
import type { Tracer, TracerProvider } from '@opentelemetry/api';
import { globalTracerProvider } from '../opentelemetry.ts';
import { VERSION } from '../version.ts';
import { INSTRUMENTATION_NAME, SCHEMA_URL } from './semconv.ts';

interface Proxy {
  getDelegate(): TracerProvider;
  getDelegateTracer(name: string, version?: string, options?: { schemaUrl?: string }): Tracer | undefined;
}

/** `undefined`: no provider is registered. Asked anew for each call, as one may be registered at any time. */
export function applicationTracer(
  provider: TracerProvider | undefined = globalTracerProvider(),
): Tracer | undefined {
  if (provider === undefined) return undefined;
  return isProxy(provider)
    ? provider.getDelegateTracer(INSTRUMENTATION_NAME, VERSION, { schemaUrl: SCHEMA_URL })
    : tracerOf(provider);
}

export function tracerOf(provider: TracerProvider): Tracer {
  return provider.getTracer(INSTRUMENTATION_NAME, VERSION, { schemaUrl: SCHEMA_URL });
}

/** The API knows no flush; the SDK's providers have `forceFlush`. Theirs to shut down, so that is never called. */
export async function flushApplication(
  provider: TracerProvider | undefined = globalTracerProvider(),
): Promise<void> {
  const actual = provider && isProxy(provider) ? provider.getDelegate() : provider;
  const { forceFlush } = (actual ?? {}) as { forceFlush?: () => Promise<void> }; // not in the API's type
  if (typeof forceFlush === 'function') await forceFlush.call(actual);
}

function isProxy(provider: TracerProvider): provider is TracerProvider & Proxy {
  const shape = provider as Partial<Proxy>; // looked at, not trusted
  return typeof shape.getDelegateTracer === 'function' && typeof shape.getDelegate === 'function';
}
