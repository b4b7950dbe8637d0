import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../src/diagnosis.ts';
import type { ExcerptPlace } from '../../src/telemetry/excerpts.ts';
import { createTelemetrySink, type TelemetrySinkOptions } from '../../src/telemetry/sink.ts';
import { diagnosedCall, divergedCall, exchangeRequest, exchangeResponse } from '../support/diagnosed-call.ts';
import { type RecordedSpans, registerTracing, unregisterTracing } from './recorded-spans.ts';

let spans: RecordedSpans;
beforeEach(() => {
  spans = registerTracing();
});
afterEach(() => {
  unregisterTracing();
});

const excerpt = { before: 'mail anna@example.org at 10:00', after: 'mail anna@example.org at 10:01' };

describe('onDivergence', () => {
  it('is told of each finding once, after the call went on', async () => {
    const told: Diagnosis[] = [];
    const sink = createTelemetrySink({ onDivergence: (finding) => void told.push(finding) });
    const finding = divergedCall();
    const call = sink.open(exchangeRequest());
    call.end(finding, exchangeResponse());
    call.end(finding, exchangeResponse());
    sink
      .open(exchangeRequest())
      .end(diagnosedCall({ index: 2, miss: 'routing', finding: true }), exchangeResponse());
    expect(told).toEqual([]);
    await sink.flush();
    expect(told.map(({ index }) => index)).toEqual([1, 2]);
    expect(told[0]).toBe(finding.diagnosis);
  });

  it('is not told of hits, of what was declared, or of what nobody could read', async () => {
    const told: Diagnosis[] = [];
    const sink = createTelemetrySink({ onDivergence: (finding) => void told.push(finding) });
    sink.open(exchangeRequest()).end(diagnosedCall(), exchangeResponse());
    sink
      .open(exchangeRequest())
      .end(divergedCall({ finding: false, expected: 'compaction' }), exchangeResponse());
    sink.open(exchangeRequest()).end({ unreadable: 'queue_full' }, exchangeResponse());
    await sink.flush();
    expect(told).toEqual([]);
  });

  it.each<[string, TelemetrySinkOptions['onDivergence']]>([
    [
      'throws',
      () => {
        throw new Error('host bug');
      },
    ],
    ['rejects', () => Promise.reject(new Error('host bug'))],
    ['never ends', () => new Promise(() => {})],
  ])('is not waited for and does no harm where it %s', async (_, onDivergence) => {
    const rejections: unknown[] = [];
    const onRejection = (error: unknown) => rejections.push(error);
    process.on('unhandledRejection', onRejection);
    const sink = createTelemetrySink({ onDivergence });
    expect(() => sink.open(exchangeRequest()).end(divergedCall(), exchangeResponse())).not.toThrow();
    await sink.flush();
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('unhandledRejection', onRejection);
    expect(rejections).toEqual([]);
    expect(spans.named('prompt_cache.divergence')).toBeDefined();
  });
});

describe('redact', () => {
  function exported(options: TelemetrySinkOptions) {
    const sink = createTelemetrySink({ captureContent: true, ...options });
    sink.open(exchangeRequest()).end(divergedCall({}, { excerpt }), exchangeResponse());
    const { attributes } = spans.named('prompt_cache.divergence');
    return [attributes['prompt_cache.divergence.before'], attributes['prompt_cache.divergence.after']];
  }

  it('decides what of an excerpt is exported, and is told where it comes from', () => {
    const places: ExcerptPlace[] = [];
    const redact = (text: string, where: ExcerptPlace) => {
      places.push(where);
      return text.replace(/\S+@\S+/, '[address]');
    };
    expect(exported({ redact })).toEqual(['mail [address] at 10:00', 'mail [address] at 10:01']);
    expect(places).toEqual([
      { side: 'before', component: 'tools', path: 'tools[1].name' },
      { side: 'after', component: 'tools', path: 'tools[1].name' },
    ]);
  });

  it('sees the text before it is cut, so that a cut does not hide what it looks for', () => {
    const long = { before: `${'x'.repeat(195)}anna@example.org`, after: 'short' };
    const sink = createTelemetrySink({ captureContent: true, redact: (text) => text.replace(/\w+@\S+/, '') });
    sink.open(exchangeRequest()).end(divergedCall({}, { excerpt: long }), exchangeResponse());
    const { attributes } = spans.named('prompt_cache.divergence');
    expect(attributes['prompt_cache.divergence.before']).not.toContain('anna');
  });

  it.each<[string, (text: string, where: ExcerptPlace) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('host bug: anna@example.org');
      },
    ],
    [
      'throws for one of the two',
      (text, { side }) => {
        if (side === 'after') throw new Error('host bug');
        return text;
      },
    ],
    ['gives no text', () => ({ toString: () => 'anna@example.org' })],
    ['gives a promise', async (text) => text],
  ])('lets nothing of the excerpt out where it %s', (_, redact) => {
    expect(exported({ redact: redact as TelemetrySinkOptions['redact'] })).toEqual([undefined, undefined]);
  });

  it('is not asked while content capture is off', () => {
    let asked = 0;
    const redact = (text: string) => {
      asked++;
      return text;
    };
    expect(exported({ captureContent: false, redact })).toEqual([undefined, undefined]);
    expect(asked).toBe(0);
  });

  it('leaves an excerpt short even where it makes it long', () => {
    const [before] = exported({ redact: () => 'x'.repeat(5000) });
    expect(before).toBe('x'.repeat(200));
  });
});
