/** Spans over the wire, in the three forms that OTLP has, against the same spans in memory. */

import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoredSpan } from '../../src/store/otlp-json.ts';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';
import { diagnosedCall, divergedCall, exchangeRequest, exchangeResponse } from '../support/diagnosed-call.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';

let receiver: OtlpReceiver;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
});
afterAll(() => receiver.close());

const EXPORTERS: [string, string, () => SpanExporter][] = [
  [
    'HTTP protobuf',
    'application/x-protobuf',
    () => new ProtobufExporter({ url: `${receiver.url}/v1/traces` }),
  ],
  ['HTTP JSON', 'application/json', () => new JsonExporter({ url: `${receiver.url}/v1/traces` })],
  ['gRPC', 'application/grpc', () => new GrpcExporter({ url: receiver.grpcUrl })],
];

const excerpt = { before: 'It is 10:00 „früh“.', after: 'It is 10:01 „früh“.' };

/** A hit, a divergence that is a miss as well, a miss alone and a call that nobody could read. */
async function recordCalls(provider: BasicTracerProvider): Promise<void> {
  const sink = createTelemetrySink({ tracerProvider: provider, captureContent: true });
  const end = (
    ...[call, response = exchangeResponse()]: [
      Parameters<ReturnType<typeof sink.open>['end']>[0],
      ReturnType<typeof exchangeResponse>?,
    ]
  ) => sink.open(exchangeRequest()).end(call, response);
  end(diagnosedCall());
  end(divergedCall({ miss: 'prefix_changed' as never }, { excerpt }));
  end(diagnosedCall({ index: 2, baseline: 1, miss: 'ttl_expired', outcome: 'miss', finding: true }));
  end({ unreadable: 'body is not JSON' }, exchangeResponse({ ending: 'failed', status: 400 }));
  await sink.flush();
}

const byId = (a: { spanId: string }, b: { spanId: string }) => (a.spanId < b.spanId ? -1 : 1);
const KINDS = ['internal', 'server', 'client', 'producer', 'consumer'];
const CODES = ['unset', 'ok', 'error'];

function inMemory(span: ReadableSpan) {
  return {
    traceId: span.spanContext().traceId,
    spanId: span.spanContext().spanId,
    parentSpanId: span.parentSpanContext?.spanId,
    name: span.name,
    kind: KINDS[span.kind],
    status: CODES[span.status.code],
    startMs: span.startTime[0] * 1000 + span.startTime[1] / 1e6,
    endMs: span.endTime[0] * 1000 + span.endTime[1] / 1e6,
    attributes: span.attributes,
    links: span.links.map(({ context }) => `${context.traceId} ${context.spanId}`),
    scope: span.instrumentationScope.name,
  };
}

function received(span: StoredSpan) {
  const { traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes } = span;
  return {
    ...{ traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes },
    status: span.status.code,
    links: span.links.map((link) => `${link.traceId} ${link.spanId}`),
    scope: span.scope.name,
  };
}

describe.each(EXPORTERS)('OTLP over %s', (_form, contentType, newExporter) => {
  it('brings every attribute, link and time of calls, divergences and misses as they are in memory', async () => {
    receiver.clear();
    const memory = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(memory), new BatchSpanProcessor(newExporter())],
    });
    await recordCalls(provider);
    const expected = memory.getFinishedSpans().map(inMemory).sort(byId);
    expect(expected.map(({ name }) => name).sort()).toEqual(
      [
        ...['chat claude-sonnet-5', 'chat claude-sonnet-5', 'chat claude-sonnet-5', 'chat'].sort(),
        ...['prompt_cache.divergence', 'prompt_cache.miss', 'prompt_cache.miss'],
      ].sort(),
    );
    expect(receiver.spans.map(received).sort(byId)).toEqual(expected);
    expect(receiver.requests[0]?.contentType).toBe(contentType);

    const [divergence] = receiver.spans.filter(({ name }) => name === 'prompt_cache.divergence');
    expect(divergence?.attributes).toMatchObject({
      'prompt_cache.divergence.kind': 'tools.reordered',
      'prompt_cache.divergence.after': excerpt.after,
      'prompt_cache.tokens.rebilled': 18_176,
      'prompt_cache.cost.rebilled_usd': 0.0627,
    });
    expect(divergence?.links).toHaveLength(1);
    await provider.shutdown();
  });
});
