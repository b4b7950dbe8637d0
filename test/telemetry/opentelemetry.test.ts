/** The API's state is read without the API: here both are held against each other. */
import {
  context,
  createContextKey,
  DiagLogLevel,
  diag,
  metrics,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { suppressTracing } from '@opentelemetry/core';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from 'vitest';
import * as ours from '../../src/opentelemetry.ts';

afterEach(() => {
  context.disable();
  trace.disable();
  metrics.disable();
  diag.disable();
});

const tracer = new BasicTracerProvider().getTracer('test');
const spanContext = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 };

describe('where nothing is registered', () => {
  it('nothing is active and nobody listens', () => {
    expect(ours.spanOf(ours.activeContext())).toBeUndefined();
    expect(ours.isSuppressed()).toBe(false);
    expect(ours.globalTracerProvider()).toBeUndefined();
    expect(ours.globalMeterProvider()).toBeUndefined();
    expect(() => ours.warn('nobody hears')).not.toThrow();
  });

  it('runs in a context all the same', () => {
    expect(ours.runInContext(ours.ROOT_CONTEXT, () => 'ran')).toBe('ran');
  });
});

describe('what the application registers with its copy of the API is seen', () => {
  it('the active span and context', () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const span = tracer.startSpan('call');
    context.with(trace.setSpan(ROOT_CONTEXT, span), () => {
      expect(ours.activeContext()).toBe(context.active());
      expect(ours.spanOf(ours.activeContext())).toBe(span);
    });
    ours.runInContext(ours.withSpan(ours.ROOT_CONTEXT, span), () => {
      expect(trace.getActiveSpan()).toBe(span);
    });
  });

  it('that tracing is suppressed', () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    expect(context.with(suppressTracing(ROOT_CONTEXT), () => ours.isSuppressed())).toBe(true);
    expect(ours.isSuppressed()).toBe(false);
  });

  it('the providers', () => {
    const tracerProvider = new BasicTracerProvider();
    const meterProvider = new MeterProvider();
    trace.setGlobalTracerProvider(tracerProvider);
    metrics.setGlobalMeterProvider(meterProvider);
    expect(ours.globalTracerProvider()).toBe(trace.getTracerProvider());
    expect(ours.globalMeterProvider()).toBe(meterProvider);
  });

  it('the logger, at its level', () => {
    const said: unknown[][] = [];
    const logger = { ...console, verbose() {}, warn: (...words: unknown[]) => void said.push(words) };
    diag.setLogger(logger, DiagLogLevel.WARN);
    ours.warn('something', 1);
    diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
    ours.warn('something else');
    expect(said).toEqual([['something', 1]]);
  });
});

describe('our own contexts are those of the API', () => {
  it('keep values, and leave the context that they were made from as it was', () => {
    const key = createContextKey('a key');
    const changed = ours.ROOT_CONTEXT.setValue(key, 1);
    expect([changed.getValue(key), ours.ROOT_CONTEXT.getValue(key)]).toEqual([1, undefined]);
    expect(changed.deleteValue(key).getValue(key)).toBeUndefined();
  });

  it("are parents of the SDK's spans", () => {
    const place = ours.withSpan(ours.ROOT_CONTEXT, ours.placeholderSpan(spanContext));
    expect(tracer.startSpan('child', {}, place).spanContext().traceId).toBe(spanContext.traceId);
    expect(trace.getSpanContext(place)).toBe(spanContext);
  });

  it('tell valid places from those that stand for none', () => {
    for (const traceId of [spanContext.traceId, '0'.repeat(32)]) {
      const place = { ...spanContext, traceId };
      expect(ours.isValid(place)).toBe(trace.isSpanContextValid(place));
    }
  });

  it('name kinds and statuses by the same numbers', () => {
    expect([ours.CLIENT_KIND, ours.ERROR_STATUS]).toEqual([SpanKind.CLIENT, SpanStatusCode.ERROR]);
  });
});
