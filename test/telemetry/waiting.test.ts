import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';
import { createWaitingTimes } from '../../src/telemetry/waiting.ts';
import { diagnosedCall, divergedCall, exchangeRequest, exchangeResponse } from '../support/diagnosed-call.ts';
import { type RecordedSpans, registerTracing, unregisterTracing } from './recorded-spans.ts';

const hit = (timeToFirstByteMs: number | null, lineage = 'l1') =>
  diagnosedCall({ lineage }, { timeToFirstByteMs });
const diverged = (timeToFirstByteMs: number | null, lineage = 'l1') =>
  divergedCall({ lineage }, { timeToFirstByteMs });

describe('what a divergence cost in waiting', () => {
  it('is its time to the first byte less the median of the hits before it', () => {
    const waitingOf = createWaitingTimes();
    for (const timeMs of [400, 900, 500]) expect(waitingOf(hit(timeMs), true)).toBeUndefined();
    expect(waitingOf(diverged(2600), true)).toEqual({
      firstByteMs: 2600,
      hitMedianMs: 500,
      extraMs: 2100,
      hits: 3,
      isStreamed: true,
    });
  });

  it('has for an even number of hits the mean of the middle two', () => {
    const waitingOf = createWaitingTimes();
    for (const timeMs of [400, 900, 500, 600]) waitingOf(hit(timeMs), true);
    expect(waitingOf(diverged(1000), true)).toMatchObject({ hitMedianMs: 550, extraMs: 450, hits: 4 });
  });

  it('is not claimed on fewer than three hits, nor where the time is not known', () => {
    const waitingOf = createWaitingTimes();
    waitingOf(hit(400), true);
    waitingOf(hit(500), true);
    waitingOf(hit(null), true);
    expect(waitingOf(diverged(2600), true)).toBeUndefined();
    waitingOf(hit(600), true);
    expect(waitingOf(diverged(null), true)).toBeUndefined();
    expect(waitingOf(diverged(2600), true)).toMatchObject({ hits: 3 });
  });

  it('rests on hits of its own lineage and kind of response alone', () => {
    const waitingOf = createWaitingTimes();
    for (let count = 0; count < 5; count++) waitingOf(hit(100, 'l2'), true);
    for (let count = 0; count < 5; count++) waitingOf(hit(9000), false);
    expect(waitingOf(diverged(2600), true)).toBeUndefined();
  });

  it('does not take misses and divergences for hits', () => {
    const waitingOf = createWaitingTimes();
    for (let count = 0; count < 3; count++) waitingOf(hit(500), true);
    waitingOf(diverged(5000), true);
    waitingOf(diagnosedCall({ outcome: 'partial' }, { timeToFirstByteMs: 7000 }), true);
    waitingOf(diagnosedCall({ outcome: 'miss', miss: 'routing' }, { timeToFirstByteMs: 8000 }), true);
    expect(waitingOf(diverged(2600), true)).toMatchObject({ hitMedianMs: 500, hits: 3 });
  });

  it('may be below zero', () => {
    const waitingOf = createWaitingTimes();
    for (let count = 0; count < 3; count++) waitingOf(hit(500), true);
    expect(waitingOf(diverged(300), true)).toMatchObject({ extraMs: -200 });
  });

  it('rests on the last fifteen hits, and the lineages that called last', () => {
    const waitingOf = createWaitingTimes(4);
    for (let count = 0; count < 100; count++) waitingOf(hit(count), true);
    expect(waitingOf(diverged(1000), true)).toMatchObject({ hits: 15, hitMedianMs: 92 });
    for (let count = 0; count < 10; count++) waitingOf(hit(1, `other ${count}`), true);
    expect(waitingOf(diverged(1000), true)).toBeUndefined();
  });
});

describe('on spans', () => {
  let spans: RecordedSpans;
  beforeEach(() => {
    spans = registerTracing();
  });
  afterEach(unregisterTracing);

  function recordHits(sink = createTelemetrySink()) {
    for (let index = 0; index < 3; index++) {
      sink.open(exchangeRequest()).end(diagnosedCall({ index }), exchangeResponse());
    }
    spans.exporter.reset();
    return sink;
  }

  it('stands on the call, its divergence and its miss', () => {
    const sink = recordHits();
    const call = divergedCall({ index: 3, miss: 'routing' }, { timeToFirstByteMs: 1700 });
    sink.open(exchangeRequest()).end(call, exchangeResponse());
    for (const name of ['chat claude-sonnet-5', 'prompt_cache.divergence', 'prompt_cache.miss']) {
      expect(spans.named(name).attributes, name).toMatchObject({
        'prompt_cache.waiting.first_byte_ms': 1700,
        'prompt_cache.waiting.hit_median_ms': 200,
        'prompt_cache.waiting.extra_ms': 1500,
        'prompt_cache.waiting.hits': 3,
        'prompt_cache.waiting.streamed': false,
      });
    }
  });

  it('is absent on a hit and on a call that failed', () => {
    const sink = recordHits();
    sink.open(exchangeRequest()).end(diagnosedCall({ index: 3 }), exchangeResponse());
    const rejected = diagnosedCall({ index: 4, miss: 'request_rejected', outcome: 'unknown' });
    sink.open(exchangeRequest()).end(rejected, exchangeResponse({ ending: 'failed', status: 400 }));
    expect(JSON.stringify(spans.all().map((span) => span.attributes))).not.toContain('waiting');
  });
});
