import { describe, expect, it } from 'vitest';
import { exportPlan } from '../../src/setup/export-plan.ts';

const NOTHING = { traces: false, metrics: false, logs: false };
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('what the environment asks to export', () => {
  it.each([
    ['nothing where nothing is set', {}, NOTHING],
    ['nothing for a protocol without an endpoint', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, NOTHING],
    [
      'nothing for an empty variable',
      { OTEL_TRACES_EXPORTER: ' ', OTEL_EXPORTER_OTLP_ENDPOINT: '' },
      NOTHING,
    ],
    ['everything for one endpoint', ENDPOINT, { traces: true, metrics: true, logs: true }],
    [
      'a signal whose own endpoint is set',
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' },
      { ...NOTHING, traces: true },
    ],
    [
      'a signal whose exporter is named',
      { OTEL_METRICS_EXPORTER: 'prometheus' },
      { ...NOTHING, metrics: true },
    ],
    [
      'no signal whose exporter is none, whatever the endpoint',
      { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' },
      { ...NOTHING, metrics: true },
    ],
    ['nothing with the SDK switched off', { ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }, NOTHING],
  ])('is %s', (_words, environment, plan) => {
    expect(exportPlan(environment)).toEqual(plan);
  });
});
