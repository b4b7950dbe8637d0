import { type Attributes, type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenCall } from '../../src/call-sink.ts';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';
import {
  diagnosedCall,
  divergedCall,
  exchangeRequest,
  exchangeResponse,
  START_MS,
} from '../support/diagnosed-call.ts';
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

const OWN = 'chat claude-sonnet-5';

function inSpan<T>(attributes: Attributes, work: (span: Span) => T): T {
  return spans.tracer.startActiveSpan('anthropic.messages.create', { attributes }, (span) => work(span));
}

describe('a call without a GenAI span', () => {
  it('gets a client span of its own with the times of the exchange', () => {
    const sink = createTelemetrySink();
    sink.open(exchangeRequest()).end(diagnosedCall(), exchangeResponse());
    const span = spans.named(OWN);
    expect(span.kind).toBe(SpanKind.CLIENT);
    expect(span.startTime).toEqual([START_MS / 1000 - 0.25, 250_000_000]);
    expect(span.endTime).toEqual([START_MS / 1000 - 0.25 + 1, 750_000_000]);
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
    expect(span.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 19_690,
      'prompt_cache.outcome': 'hit',
      'prompt_cache.tokens.read': 19_380,
    });
    expect(span.instrumentationScope.name).toBe('prefixtrace');
  });

  it('hangs below the span that was active when the call was made, not when it ended', () => {
    const sink = createTelemetrySink();
    const { call, span: parent } = spans.tracer.startActiveSpan('agent step', (span) => ({
      call: sink.open(exchangeRequest()),
      span,
    }));
    spans.tracer.startActiveSpan('something else', () => call.end(diagnosedCall(), exchangeResponse()));
    parent.end();
    expect(spans.named(OWN).parentSpanContext?.spanId).toBe(parent.spanContext().spanId);
  });

  it('gets one too below a span of an agent, which is not the span of the call', () => {
    const sink = createTelemetrySink();
    inSpan({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.provider.name': 'openai' }, (span) => {
      sink.open(exchangeRequest()).end(diagnosedCall(), exchangeResponse());
      span.end();
    });
    expect(spans.named(OWN).attributes['prompt_cache.outcome']).toBe('hit');
    expect(spans.named('anthropic.messages.create').attributes).not.toHaveProperty('prompt_cache.outcome');
  });

  it('has error status when it failed, without the words of the provider', () => {
    const sink = createTelemetrySink();
    const error = { type: 'invalid_request_error', message: 'messages.0: "my secret prompt" is too long' };
    const failed = exchangeResponse({ ending: 'failed', status: 400, error });
    sink.open(exchangeRequest()).end(diagnosedCall({ outcome: 'unknown', miss: 'request_rejected' }), failed);
    const span = spans.named(OWN);
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(span.attributes['error.type']).toBe('invalid_request_error');
    expect(JSON.stringify([span.attributes, span.events])).not.toContain('secret');
  });

  it('tells why it could not be read, as a word', () => {
    const sink = createTelemetrySink();
    const request = exchangeRequest({ model: 'claude-sonnet-5' });
    sink.open(request).end({ unreadable: 'body is not JSON' }, exchangeResponse());
    const span = spans.named(OWN);
    expect(span.attributes['prompt_cache.unreadable']).toBe('body_is_not_json');
    expect(span.attributes).not.toHaveProperty('prompt_cache.outcome');
    expect(spans.all()).toHaveLength(1);
  });

  it('of a log gets the times of the log, and no length where none is known', () => {
    const sink = createTelemetrySink();
    const response = exchangeResponse({ completedAtMs: undefined, firstByteAtMs: undefined });
    sink.open(exchangeRequest({ atMs: START_MS - 1e10 })).end(diagnosedCall(), response);
    const span = spans.named(OWN);
    expect(span.endTime).toEqual(span.startTime);
  });
});

describe('a call that its client has a GenAI span for', () => {
  it.each<[string, Attributes]>([
    ['Anthropic SDK', { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'anthropic' }],
    ['OpenLLMetry', { 'gen_ai.system': 'OpenAI', 'llm.request.type': 'chat' }],
    ['OpenInference', { 'openinference.span.kind': 'LLM' }],
    ['a name of its own', { 'gen_ai.operation.name': 'responses' }],
  ])('adds ours to it and makes no second one (%s)', (_, attributes) => {
    const sink = createTelemetrySink();
    inSpan(attributes, (span) => {
      sink.open(exchangeRequest()).end(diagnosedCall(), exchangeResponse());
      span.end();
    });
    expect(spans.all()).toHaveLength(1);
    expect(spans.named('anthropic.messages.create').attributes).toMatchObject({
      ...attributes,
      'prompt_cache.outcome': 'hit',
      'prompt_cache.lineage': 'l1',
    });
  });

  it('adds no usage and nothing else under gen_ai', () => {
    const sink = createTelemetrySink();
    const theirs = { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 19_690 };
    inSpan(theirs, (span) => {
      sink.open(exchangeRequest()).end(divergedCall(), exchangeResponse());
      span.end();
    });
    const { attributes } = spans.named('anthropic.messages.create');
    const names = Object.keys(attributes).filter((name) => !name.startsWith('prompt_cache.'));
    expect(names.sort()).toEqual(Object.keys(theirs).sort());
    expect(spans.named('prompt_cache.divergence').parentSpanContext?.spanId).toBe(
      spans.named('anthropic.messages.create').spanContext().spanId,
    );
  });

  it('leaves its status alone and no stale miss, as the client may try again under it', () => {
    const sink = createTelemetrySink();
    inSpan({ 'gen_ai.operation.name': 'chat' }, (span) => {
      const rejected = diagnosedCall({ index: 0, miss: 'request_rejected', outcome: 'unknown' });
      sink.open(exchangeRequest()).end(rejected, exchangeResponse({ ending: 'failed', status: 429 }));
      sink.open(exchangeRequest()).end(diagnosedCall({ index: 1 }), exchangeResponse());
      span.end();
    });
    const span = spans.named('anthropic.messages.create');
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
    expect(span.attributes['prompt_cache.outcome']).toBe('hit');
    expect(span.attributes).not.toHaveProperty('prompt_cache.miss');
    expect(spans.named('prompt_cache.miss').attributes['prompt_cache.miss']).toBe('request_rejected');
  });

  it('puts ours on a span beneath, without usage, where theirs ended first', () => {
    const sink = createTelemetrySink();
    const call: OpenCall = inSpan({ 'gen_ai.operation.name': 'chat' }, (span) => {
      const opened = sink.open(exchangeRequest());
      span.end();
      return opened;
    });
    call.end(diagnosedCall(), exchangeResponse());
    const beneath = spans.named('prompt_cache.call');
    expect(beneath.parentSpanContext?.spanId).toBe(
      spans.named('anthropic.messages.create').spanContext().spanId,
    );
    expect(beneath.attributes['prompt_cache.outcome']).toBe('hit');
    expect(Object.keys(beneath.attributes).filter((name) => name.startsWith('gen_ai.'))).toEqual([]);
  });

  it('does not overwrite one call by another under the same span', () => {
    const sink = createTelemetrySink();
    inSpan({ 'gen_ai.operation.name': 'chat' }, (span) => {
      sink.open(exchangeRequest()).end(diagnosedCall({ index: 0, turn: 1 }), exchangeResponse());
      sink.open(exchangeRequest()).end(diagnosedCall({ index: 1, turn: 2 }), exchangeResponse());
      span.end();
    });
    expect(spans.named('anthropic.messages.create').attributes['prompt_cache.turn']).toBe(1);
    expect(spans.named('prompt_cache.call').attributes['prompt_cache.turn']).toBe(2);
  });
});

describe('a divergence or a miss', () => {
  it('is a child of its call with a link to the call that it was compared with', () => {
    const sink = createTelemetrySink();
    sink.open(exchangeRequest()).end(diagnosedCall({ index: 0 }), exchangeResponse());
    const baseline = spans.named(OWN).spanContext();
    spans.exporter.reset();
    sink.open(exchangeRequest()).end(divergedCall({ miss: 'routing' }), exchangeResponse());
    const divergence = spans.named('prompt_cache.divergence');
    const call = spans.named(OWN);
    expect(divergence.parentSpanContext?.spanId).toBe(call.spanContext().spanId);
    expect(divergence.spanContext().traceId).toBe(call.spanContext().traceId);
    expect(divergence.links.map((link) => link.context)).toEqual([baseline]);
    expect(divergence.attributes['prompt_cache.divergence.kind']).toBe('tools.reordered');
    expect(spans.named('prompt_cache.miss').links.map((link) => link.context)).toEqual([baseline]);
  });

  it('links to an enriched baseline as well', () => {
    const sink = createTelemetrySink();
    const baseline = inSpan({ 'gen_ai.operation.name': 'chat' }, (span) => {
      sink.open(exchangeRequest()).end(diagnosedCall({ index: 0 }), exchangeResponse());
      span.end();
      return span.spanContext();
    });
    sink.open(exchangeRequest()).end(divergedCall(), exchangeResponse());
    expect(spans.named('prompt_cache.divergence').links[0]?.context).toEqual(baseline);
  });

  it('has no link where the baseline is not known any more, and is told all the same', () => {
    const sink = createTelemetrySink();
    sink.open(exchangeRequest()).end(divergedCall({ baseline: 77 }), exchangeResponse());
    expect(spans.named('prompt_cache.divergence').links).toEqual([]);
  });

  it('shows excerpts only by option or by the standard switch', () => {
    const call = divergedCall({}, { excerpt: { before: 'at 10:00', after: 'at 10:01' } });
    const afterOf = (sink = createTelemetrySink()) => {
      spans.exporter.reset();
      sink.open(exchangeRequest()).end(call, exchangeResponse());
      return spans.named('prompt_cache.divergence').attributes['prompt_cache.divergence.after'];
    };
    expect(afterOf()).toBeUndefined();
    expect(afterOf(createTelemetrySink({ captureContent: true }))).toBe('at 10:01');
    const name = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';
    try {
      for (const [value, expected] of [
        ['true', 'at 10:01'],
        ['SPAN_ONLY', 'at 10:01'],
        ['SPAN_AND_EVENT', 'at 10:01'],
        ['EVENT_ONLY', undefined],
        ['NO_CONTENT', undefined],
        ['false', undefined],
      ]) {
        process.env[name] = value;
        expect(afterOf(), String(value)).toBe(expected);
      }
    } finally {
      delete process.env[name];
    }
  });
});
