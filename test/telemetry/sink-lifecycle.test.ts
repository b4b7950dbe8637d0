import { context, trace } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { AlwaysOffSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';
import { diagnosedCall, divergedCall, exchangeRequest, exchangeResponse } from '../support/diagnosed-call.ts';
import {
  type RecordedSpans,
  registerContextManager,
  registerTracing,
  unregisterTracing,
} from './recorded-spans.ts';

let spans: RecordedSpans;

beforeEach(() => {
  registerContextManager();
  spans = registerTracing();
});
afterEach(unregisterTracing);

describe('the sink', () => {
  it('does nothing under suppressed tracing', () => {
    const sink = createTelemetrySink();
    const call = context.with(suppressTracing(context.active()), () => sink.open(exchangeRequest()));
    call.end(divergedCall(), exchangeResponse());
    expect(spans.all()).toEqual([]);
  });

  it('records a call once, however often it is ended, and none after shutdown', async () => {
    const sink = createTelemetrySink();
    const call = sink.open(exchangeRequest());
    const late = sink.open(exchangeRequest());
    call.end(diagnosedCall(), exchangeResponse());
    call.end(diagnosedCall(), exchangeResponse());
    await sink.shutdown();
    late.end(diagnosedCall(), exchangeResponse());
    expect(spans.all()).toHaveLength(1);
  });

  it('prefers the tracer provider that it is given', () => {
    const sink = createTelemetrySink({ tracerProvider: spans.provider });
    trace.disable();
    sink.open(exchangeRequest()).end(diagnosedCall(), exchangeResponse());
    expect(spans.all()).toHaveLength(1);
  });

  it("flushes the application's provider and never shuts it down", async () => {
    const calls: string[] = [];
    const provider = Object.assign(new BasicTracerProvider(), {
      forceFlush: async () => void calls.push('forceFlush'),
      shutdown: async () => void calls.push('shutdown'),
    });
    const sink = createTelemetrySink({ tracerProvider: provider });
    await sink.flush();
    await sink.shutdown();
    expect(calls).toEqual(['forceFlush', 'forceFlush']);
  });

  it('writes nothing for a trace that is not sampled', () => {
    const unsampled = new BasicTracerProvider({ sampler: new AlwaysOffSampler() }).getTracer('application');
    unsampled.startActiveSpan('agent step', () => {
      createTelemetrySink().open(exchangeRequest()).end(divergedCall(), exchangeResponse());
    });
    expect(spans.all()).toEqual([]);
  });

  it('never throws at its caller, whatever the tracing of the application does', () => {
    const broken = {
      getTracer: () => {
        throw new Error('broken provider');
      },
    };
    const sink = createTelemetrySink({ tracerProvider: broken });
    expect(() => sink.open(exchangeRequest()).end(divergedCall(), exchangeResponse())).not.toThrow();
  });

  it('is off with PREFIXTRACE_DISABLED=1', async () => {
    process.env.PREFIXTRACE_DISABLED = '1';
    try {
      const sink = createTelemetrySink();
      sink.open(exchangeRequest()).end(divergedCall(), exchangeResponse());
      await sink.shutdown();
    } finally {
      delete process.env.PREFIXTRACE_DISABLED;
    }
    expect(spans.all()).toEqual([]);
  });
});
