import { TraceFlags } from '@opentelemetry/api';
import { expect, it } from 'vitest';
import { BaselineSpans } from '../../src/telemetry/baseline-spans.ts';

const spanContext = (spanId: string) => ({ traceId: 't', spanId, traceFlags: TraceFlags.SAMPLED });

it('forgets the baseline that was asked for longest ago, one at a time', () => {
  const baselines = new BaselineSpans(2);
  baselines.remember(0, spanContext('a'));
  baselines.remember(1, spanContext('b'));
  baselines.get(0);
  baselines.remember(2, spanContext('c'));
  expect([0, 1, 2].map((index) => baselines.get(index)?.spanId)).toEqual(['a', undefined, 'c']);
});
