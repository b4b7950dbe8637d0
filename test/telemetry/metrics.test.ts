import { metrics } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DiagnosedCall } from '../../src/diagnosis.ts';
import type { Unreadable } from '../../src/engine.ts';
import { createTelemetrySink, type TelemetrySinkOptions } from '../../src/telemetry/sink.ts';
import { diagnosedCall, divergedCall, exchangeRequest, exchangeResponse } from '../support/diagnosed-call.ts';
import { RecordedMetrics } from './recorded-metrics.ts';

let recorded: RecordedMetrics;
beforeEach(() => {
  recorded = new RecordedMetrics();
});
afterEach(async () => {
  metrics.disable();
  await recorded.shutdown();
});

function sinkFor(options: TelemetrySinkOptions = {}) {
  return createTelemetrySink({ metrics: recorded.provider, store: false, ...options });
}

function record(sink: ReturnType<typeof sinkFor>, ...calls: (DiagnosedCall | Unreadable)[]): void {
  for (const call of calls) sink.open(exchangeRequest()).end(call, exchangeResponse());
}

const OF = {
  'gen_ai.provider.name': 'anthropic',
  'gen_ai.request.model': 'claude-sonnet-5',
  'prompt_cache.phase': 'researcher',
};

describe('metrics of calls', () => {
  it('count calls by outcome, with provider, model and phase', async () => {
    record(sinkFor(), diagnosedCall(), diagnosedCall(), divergedCall());
    expect(await recorded.points('prompt_cache.calls')).toEqual([
      { attributes: { ...OF, 'prompt_cache.outcome': 'hit' }, value: 2 },
      { attributes: { ...OF, 'prompt_cache.outcome': 'partial' }, value: 1 },
    ]);
  });

  it('count input tokens by kind', async () => {
    record(sinkFor(), diagnosedCall(), divergedCall());
    const points = await recorded.points('prompt_cache.input_tokens');
    expect(points.map(({ attributes, value }) => [attributes['prompt_cache.token.kind'], value])).toEqual([
      ['read', 19_380 + 1204],
      ['written', 310 + 18_486],
      ['uncached', 0],
    ]);
  });

  it('count a divergence with its component and kind, and what it cost', async () => {
    record(sinkFor(), divergedCall(), divergedCall());
    const place = {
      ...OF,
      'prompt_cache.divergence.component': 'tools',
      'prompt_cache.divergence.kind': 'tools.reordered',
      'prompt_cache.finding': true,
    };
    expect(await recorded.points('prompt_cache.divergences')).toEqual([{ attributes: place, value: 2 }]);
    expect(await recorded.points('prompt_cache.rebilled_tokens')).toEqual([
      { attributes: place, value: 2 * 18_176 },
    ]);
    const [cost] = await recorded.points('prompt_cache.rebilled_cost');
    expect(cost?.attributes).toEqual(place);
    expect(cost?.value).toBeCloseTo(2 * 0.0627, 10);
    expect(await recorded.points('prompt_cache.misses')).toEqual([]);
  });

  it('count a miss with its reason', async () => {
    record(sinkFor(), diagnosedCall({ miss: 'ttl_expired', outcome: 'miss', finding: true }));
    expect(await recorded.points('prompt_cache.misses')).toEqual([
      { attributes: { ...OF, 'prompt_cache.miss': 'ttl_expired', 'prompt_cache.finding': true }, value: 1 },
    ]);
    expect(await recorded.points('prompt_cache.divergences')).toEqual([]);
  });

  it('keep zero, unknown and absent apart', async () => {
    const { tokens } = diagnosedCall().diagnosis;
    const scope = { thread: null, phase: null, delegation: null };
    const noModel = { requestModel: null };
    record(
      sinkFor(),
      diagnosedCall(
        { model: null, scope, tokens: { ...tokens, cacheRead: 0, cacheWrite: null, uncached: 500 } },
        noModel,
      ),
      diagnosedCall(
        {
          model: null,
          scope,
          outcome: 'unknown',
          tokens: { ...tokens, input: 900, cacheRead: null, cacheWrite: null, uncached: null },
        },
        noModel,
      ),
    );
    const points = await recorded.points('prompt_cache.input_tokens');
    expect(points).toEqual([
      { attributes: { 'gen_ai.provider.name': 'anthropic', 'prompt_cache.token.kind': 'read' }, value: 0 },
      {
        attributes: { 'gen_ai.provider.name': 'anthropic', 'prompt_cache.token.kind': 'uncached' },
        value: 500,
      },
      {
        attributes: { 'gen_ai.provider.name': 'anthropic', 'prompt_cache.token.kind': 'unknown' },
        value: 900,
      },
    ]);
    const outcomes = (await recorded.points('prompt_cache.calls')).map(
      ({ attributes }) => attributes['prompt_cache.outcome'],
    );
    expect(outcomes).toEqual(['hit', 'unknown']);
  });

  it.each(['estimated', 'calibrated'] as const)(
    'do not add estimates to what was reported (%s)',
    async (method) => {
      const { tokens } = diagnosedCall().diagnosis;
      record(sinkFor(), diagnosedCall({ tokens: { ...tokens, method, cacheRead: null } }));
      expect(await recorded.points('prompt_cache.input_tokens')).toEqual([]);
    },
  );

  it('count what nobody could read by a word, as calls of unknown outcome', async () => {
    record(sinkFor(), { unreadable: 'queue_full' }, { unreadable: `Unexpected token 'h', "secret" …` });
    const reasons = (await recorded.points('prompt_cache.unreadable_calls')).map(({ attributes, value }) => [
      attributes['prompt_cache.unreadable'],
      value,
    ]);
    expect(reasons).toEqual([
      ['queue_full', 1],
      ['other', 1],
    ]);
    const [calls] = await recorded.points('prompt_cache.calls');
    expect(calls).toMatchObject({ attributes: { 'prompt_cache.outcome': 'unknown' }, value: 2 });
  });

  it('stay few, however many models and phases there are, and never name a thread, a lineage or a path', async () => {
    const sink = sinkFor();
    for (let index = 0; index < 500; index++) {
      const scope = { thread: `thread-${index}`, phase: `phase-${index}`, delegation: `sub-${index}` };
      record(sink, divergedCall({ lineage: `l${index}`, scope }, { requestModel: `model-${index}` }));
    }
    const calls = await recorded.points('prompt_cache.calls');
    expect(calls.length).toBe(51);
    expect(calls.at(-1)).toMatchObject({
      attributes: { 'gen_ai.request.model': '_other', 'prompt_cache.phase': '_other' },
      value: 450,
    });
    const names = new Set(
      (await recorded.all()).flatMap(({ points }) =>
        points.flatMap(({ attributes }) => Object.keys(attributes)),
      ),
    );
    expect([...names].sort()).toEqual([
      'gen_ai.provider.name',
      'gen_ai.request.model',
      'prompt_cache.divergence.component',
      'prompt_cache.divergence.kind',
      'prompt_cache.finding',
      'prompt_cache.outcome',
      'prompt_cache.phase',
      'prompt_cache.token.kind',
    ]);
  });

  it('have units of UCUM', async () => {
    const sink = sinkFor();
    sink.spend?.('caller', 1);
    record(sink, divergedCall({ miss: 'routing' }), { unreadable: 'queue_full' });
    const units = Object.fromEntries((await recorded.all()).map(({ name, unit }) => [name, unit]));
    expect(units).toEqual({
      'prompt_cache.calls': '{call}',
      'prompt_cache.input_tokens': '{token}',
      'prompt_cache.divergences': '{divergence}',
      'prompt_cache.misses': '{miss}',
      'prompt_cache.rebilled_tokens': '{token}',
      'prompt_cache.rebilled_cost': '{USD}',
      'prompt_cache.unreadable_calls': '{call}',
      'prompt_cache.dropped_records': '{record}',
      'prompt_cache.overhead.duration': 's',
    });
  });
});

describe('metrics of our own work', () => {
  it('tell the seconds that it took, on the path of the caller and off it', async () => {
    const sink = sinkFor();
    sink.spend?.('caller', 0.25);
    sink.spend?.('caller', 0.5);
    sink.spend?.('background', 40);
    const points = await recorded.points('prompt_cache.overhead.duration');
    expect(points).toMatchObject([
      { attributes: { 'prompt_cache.overhead.path': 'caller' }, value: { sum: 0.000_75, count: 2 } },
      { attributes: { 'prompt_cache.overhead.path': 'background' }, value: { sum: 0.04, count: 1 } },
    ]);
  });

  it('tell how many records were dropped, zero included', async () => {
    record(sinkFor(), diagnosedCall());
    expect(await recorded.points('prompt_cache.dropped_records')).toEqual([{ attributes: {}, value: 0 }]);
  });
});

describe('the metrics provider', () => {
  it('may be registered after the first calls: what comes later is counted', async () => {
    const sink = createTelemetrySink({ store: false });
    record(sink, diagnosedCall());
    metrics.setGlobalMeterProvider(recorded.provider);
    record(sink, diagnosedCall());
    expect(await recorded.points('prompt_cache.calls')).toMatchObject([{ value: 1 }]);
  });

  it('is not asked for anything with metrics off', () => {
    const getMeter = vi.spyOn(recorded.provider, 'getMeter');
    metrics.setGlobalMeterProvider(recorded.provider);
    record(createTelemetrySink({ metrics: false, store: false }), diagnosedCall());
    expect(getMeter).not.toHaveBeenCalled();
  });

  it('that throws is not noticed by the host', () => {
    const broken = {
      getMeter: () => {
        throw new Error('broken provider');
      },
    };
    const sink = createTelemetrySink({ metrics: broken, store: false });
    expect(() => {
      record(sink, diagnosedCall());
      sink.spend?.('caller', 1);
    }).not.toThrow();
  });
});
