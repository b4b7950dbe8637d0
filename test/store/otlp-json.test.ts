import { describe, expect, it } from 'vitest';
import { spansOfTracesData } from '../../src/store/otlp-json.ts';

const IDS = { traceId: '5B8EFFF798038103D269B633813FC60C', spanId: 'EEE19B7EC3C1B174' };

const onlySpan = (span: object) => {
  const spans = spansOfTracesData({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...IDS, ...span }] }] }] });
  expect(spans).toHaveLength(1);
  return spans[0];
};

describe('OTLP JSON of another service', () => {
  it('is read in full (the example of the OpenTelemetry specification)', () => {
    const [span] = spansOfTracesData({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'my.service' } }] },
          scopeSpans: [
            {
              scope: { name: 'my.library', version: '1.0.0', attributes: [] },
              spans: [
                {
                  ...IDS,
                  parentSpanId: 'EEE19B7EC3C1B173',
                  name: "I'm a server span",
                  startTimeUnixNano: '1544712660000000000',
                  endTimeUnixNano: '1544712661123456789',
                  kind: 2,
                  attributes: [{ key: 'my.span.attr', value: { stringValue: 'some value' } }],
                },
              ],
            },
          ],
        },
      ],
    });
    expect(span).toEqual({
      traceId: '5b8efff798038103d269b633813fc60c',
      spanId: 'eee19b7ec3c1b174',
      parentSpanId: 'eee19b7ec3c1b173',
      name: "I'm a server span",
      kind: 'server',
      startMs: 1544712660000,
      endMs: 1544712661123.456,
      attributes: { 'my.span.attr': 'some value' },
      links: [],
      status: { code: 'unset' },
      resource: { 'service.name': 'my.service' },
      scope: { name: 'my.library', version: '1.0.0' },
    });
  });

  it('may write integers as strings or as numbers, and enums as names', () => {
    const span = onlySpan({
      kind: 'SPAN_KIND_CLIENT',
      status: { code: 'STATUS_CODE_ERROR', message: 'no' },
      attributes: [
        { key: 'string', value: { intValue: '18176' } },
        { key: 'number', value: { intValue: 18176 } },
        { key: 'zero', value: { intValue: 0 } },
        { key: 'double', value: { doubleValue: 0.25 } },
        { key: 'false', value: { boolValue: false } },
        { key: 'empty', value: { stringValue: '' } },
      ],
    });
    expect(span).toMatchObject({ kind: 'client', status: { code: 'error', message: 'no' } });
    expect(span?.attributes).toEqual({
      string: 18176,
      number: 18176,
      zero: 0,
      double: 0.25,
      false: false,
      empty: '',
    });
  });

  it('may nest: lists stay lists, maps become JSON, null is absent', () => {
    const part = { key: 'type', value: { stringValue: 'text' } };
    const span = onlySpan({
      attributes: [
        { key: 'list', value: { arrayValue: { values: [{ intValue: '1' }, { stringValue: 'a' }] } } },
        { key: 'map', value: { kvlistValue: { values: [part] } } },
        { key: 'nothing', value: {} },
        { key: 'no value' },
      ],
    });
    expect(span?.attributes).toEqual({ list: [1, 'a'], map: '{"type":"text"}' });
  });
});

it.each([
  undefined,
  null,
  7,
  'text',
  [],
  {},
  { resourceMetrics: [] },
  { resourceSpans: 'x' },
  { resourceSpans: [null, { scopeSpans: [{ spans: [{ name: 'without ids' }, 3] }] }] },
])('what is no span is no span: %j', (value) => {
  expect(spansOfTracesData(value)).toEqual([]);
});
