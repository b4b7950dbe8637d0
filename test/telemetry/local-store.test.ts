import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredSpan } from '../../src/store/otlp-json.ts';
import { readSpans } from '../../src/store/reader.ts';
import { createTelemetrySink, type TelemetrySinkOptions } from '../../src/telemetry/sink.ts';
import { diagnosedCall, divergedCall, exchangeRequest, exchangeResponse } from '../support/diagnosed-call.ts';
import {
  RecordedSpans,
  registerContextManager,
  registerTracing,
  unregisterTracing,
} from './recorded-spans.ts';

let directory: string;
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'prefixtrace-')), '.prefixtrace');
});
afterEach(() => {
  unregisterTracing();
  rmSync(join(directory, '..'), { recursive: true, force: true });
});

const localSink = (options: TelemetrySinkOptions = {}) =>
  createTelemetrySink({ ...options, store: { directory } });

async function stored(): Promise<StoredSpan[]> {
  const spans: StoredSpan[] = [];
  for await (const span of readSpans(directory)) spans.push(span);
  return spans;
}

const named = (spans: StoredSpan[], name: string) => spans.filter((span) => span.name === name);

describe('an application without tracing', () => {
  it('finds its calls in the local store, with every attribute, link and parent', async () => {
    const inMemory = new RecordedSpans();
    const sinks = [
      localSink({ prefixKey: 'k' }),
      createTelemetrySink({ tracerProvider: inMemory.provider, prefixKey: 'k' }),
    ];
    for (const sink of sinks) {
      sink.open(exchangeRequest()).end(diagnosedCall({ index: 0 }), exchangeResponse());
      sink.open(exchangeRequest()).end(divergedCall({ miss: 'routing' }), exchangeResponse());
      await sink.shutdown();
    }
    const spans = await stored();
    expect(spans.map(({ name, attributes }) => ({ name, attributes }))).toEqual(
      inMemory.all().map(({ name, attributes }) => ({ name, attributes })),
    );
    const [baseline, call] = named(spans, 'chat claude-sonnet-5');
    const [divergence] = named(spans, 'prompt_cache.divergence');
    expect(divergence).toMatchObject({
      parentSpanId: call?.spanId,
      traceId: call?.traceId,
      kind: 'internal',
    });
    expect(divergence?.links).toEqual([
      { traceId: baseline?.traceId, spanId: baseline?.spanId, attributes: {} },
    ]);
  });

  it('keeps its global tracing untouched', async () => {
    const sink = localSink();
    sink.open(exchangeRequest()).end(diagnosedCall(), exchangeResponse());
    await sink.flush();
    expect(trace.getTracer('application').startSpan('x').isRecording()).toBe(false);
    await sink.shutdown();
  });

  it('uses a provider that is registered later, from then on', async () => {
    const sink = localSink();
    sink.open(exchangeRequest()).end(diagnosedCall({ index: 0, turn: 1 }), exchangeResponse());
    await sink.flush();
    const spans = registerTracing();
    sink.open(exchangeRequest()).end(divergedCall({ turn: 2 }), exchangeResponse());
    await sink.shutdown();
    expect((await stored()).map((span) => span.attributes['prompt_cache.turn'])).toEqual([1]);
    expect(spans.named('chat claude-sonnet-5').attributes['prompt_cache.turn']).toBe(2);
    expect(spans.named('prompt_cache.divergence').links[0]?.context.spanId).toBe((await stored())[0]?.spanId);
  });

  it('has whole calls in its store even where the client has a private span for them', async () => {
    registerContextManager();
    const theirs = new RecordedSpans();
    const sink = localSink();
    theirs.tracer.startActiveSpan(
      'their call',
      { attributes: { 'gen_ai.operation.name': 'chat' } },
      (span) => {
        sink.open(exchangeRequest()).end(diagnosedCall(), exchangeResponse());
        span.end();
      },
    );
    await sink.shutdown();
    expect(theirs.named('their call').attributes['prompt_cache.outcome']).toBe('hit');
    expect(named(await stored(), 'chat claude-sonnet-5')).toHaveLength(1);
  });

  it('has no store with the option store: false', async () => {
    const sink = createTelemetrySink({ store: false });
    sink.open(exchangeRequest()).end(diagnosedCall(), exchangeResponse());
    await sink.shutdown();
    expect(existsSync(directory)).toBe(false);
  });
});

it('an application with tracing gets no local store', async () => {
  registerTracing();
  const sink = localSink();
  sink.open(exchangeRequest()).end(diagnosedCall(), exchangeResponse());
  await sink.shutdown();
  expect(existsSync(directory)).toBe(false);
});

it('no content is in any stored byte without capture, and short excerpts are with it', async () => {
  const secret = 'sk-SECRET-of-the-prompt';
  const call = divergedCall({}, { excerpt: { before: secret, after: `${secret} 2` }, prefixHash: secret });
  const request = exchangeRequest({ body: secret, account: secret, headers: { 'anthropic-beta': secret } });
  const error = { type: `bad "${secret}"`, message: secret };
  const response = exchangeResponse({ ending: 'failed', status: 400, error, diagnostics: secret });
  const bytes = () =>
    readdirSync(directory)
      .map((name) => readFileSync(join(directory, name), 'utf8'))
      .join('');

  const closed = localSink();
  closed.open(request).end(call, response);
  closed.open(request).end({ unreadable: `Unexpected token in "${secret}"` }, response);
  await closed.shutdown();
  expect(await stored()).toHaveLength(3);
  expect(bytes()).not.toContain('SECRET');

  const open = localSink({ captureContent: true });
  open.open(request).end(call, response);
  await open.shutdown();
  expect(bytes().split(secret)).toHaveLength(3); // before and after, nothing else
});

it('counts what could not be written', async () => {
  const sink = createTelemetrySink({ store: { directory: '/dev/null/store' } });
  sink.open(exchangeRequest()).end(divergedCall(), exchangeResponse());
  await sink.flush();
  expect(sink.dropped).toBe(2);
  await sink.shutdown();
});
