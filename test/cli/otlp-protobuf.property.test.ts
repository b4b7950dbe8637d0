/** Protobuf and JSON of the same spans, as OpenTelemetry's own serializers write them, are read as the same. */
import { type Attributes, type HrTime, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tracesDataOf } from '../../cli/sources/otlp/traces-data.ts';
import { tracedSpans } from '../../src/logs/formats/otlp.ts';
import { spansOfTracesData } from '../../src/store/otlp-json.ts';

const text = fc
  .string({ unit: 'binary', maxLength: 30 })
  .filter((value) => Buffer.from(value).toString() === value);
const scalar = fc.oneof(
  text,
  fc.boolean(),
  fc.maxSafeInteger(),
  fc.integer(),
  // JSON has no NaN, no infinity and no negative zero.
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
);
const { anyValue } = fc.letrec((tie) => ({
  anyValue: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('anyValue'), { maxLength: 3 }),
    fc.dictionary(text, tie('anyValue'), { maxKeys: 3, noNullPrototype: true }),
    fc.uint8Array({ maxLength: 10 }),
  ),
}));
// Values within values are of newer conventions than the API's types.
const attributes = fc.dictionary(text, anyValue, {
  maxKeys: 5,
  noNullPrototype: true,
}) as fc.Arbitrary<Attributes>;
const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''));
const spanContext = fc
  .tuple(hex(32), hex(16))
  .map(([traceId, spanId]) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED }));
const time: fc.Arbitrary<HrTime> = fc.tuple(fc.nat({ max: 4_000_000_000 }), fc.nat({ max: 999_999_999 }));
const resource = attributes.map((values) => resourceFromAttributes(values));
const instrumentationScope = fc.record({ name: text, version: text }, { requiredKeys: ['name'] });

const span: fc.Arbitrary<ReadableSpan> = fc
  .record({
    ...{ own: spanContext, parent: fc.option(spanContext, { nil: undefined }) },
    name: text,
    kind: fc.constantFrom(SpanKind.INTERNAL, SpanKind.CLIENT, SpanKind.CONSUMER),
    ...{ startTime: time, endTime: time, attributes, resource, instrumentationScope },
    status: fc.record(
      {
        code: fc.constantFrom(SpanStatusCode.UNSET, SpanStatusCode.OK, SpanStatusCode.ERROR),
        message: text,
      },
      { requiredKeys: ['code'] },
    ),
    links: fc.array(fc.record({ context: spanContext, attributes }), { maxLength: 2 }),
    events: fc.array(
      fc.record({
        name: fc.oneof(text, fc.constant('gen_ai.client.inference.operation.details')),
        ...{ time, attributes },
      }),
      { maxLength: 2 },
    ),
  })
  .map(({ own, parent, ...rest }) => ({
    ...rest,
    ...(parent && { parentSpanContext: parent }),
    spanContext: () => own,
    ...{ duration: [0, 0] as HrTime, ended: true },
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  }));

const spans = fc.array(span, { minLength: 1, maxLength: 4 });
const bothForms = (list: ReadableSpan[]) => {
  const json = Buffer.from(JsonTraceSerializer.serializeRequest(list) ?? []);
  const protobuf = Buffer.from(ProtobufTraceSerializer.serializeRequest(list) ?? []);
  return { json, protobuf };
};

describe('OTLP protobuf', () => {
  it('is read as its JSON is', () => {
    fc.assert(
      fc.property(spans, (list) => {
        const { json, protobuf } = bothForms(list);
        const fromJson = tracesDataOf(json, 'json');
        const fromProtobuf = tracesDataOf(protobuf, 'protobuf');
        expect(spansOfTracesData(fromProtobuf)).toEqual(spansOfTracesData(fromJson));
        expect(tracedSpans(fromProtobuf)).toEqual(tracedSpans(fromJson));
        expect(tracedSpans(fromProtobuf)).toHaveLength(list.length);
      }),
      { numRuns: 300 },
    );
  });

  it('with fields that are not known yet is read without them', () => {
    const unknown = Buffer.from('9a060568656c6c6f98060199060000000000000000', 'hex'); // fields 99, of three types
    fc.assert(
      fc.property(spans, (list) => {
        const { protobuf } = bothForms(list);
        expect(tracesDataOf(Buffer.concat([unknown, protobuf]), 'protobuf')).toEqual(
          tracesDataOf(protobuf, 'protobuf'),
        );
      }),
      { numRuns: 20 },
    );
  });

  it('that was cut or changed is read or refused, and never read beyond its end', () => {
    fc.assert(
      fc.property(spans, fc.nat(), fc.nat({ max: 255 }), fc.nat(), (list, cut, byte, at) => {
        const { protobuf } = bothForms(list);
        const body = Buffer.from(protobuf.subarray(0, protobuf.length - (cut % protobuf.length)));
        body[at % body.length] = byte;
        let read: unknown;
        try {
          read = tracesDataOf(body, 'protobuf');
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          return;
        }
        expect(spansOfTracesData(read).length).toBeLessThanOrEqual(body.length);
      }),
      { numRuns: 500 },
    );
  });

  it('of a map in a map in a map becomes one JSON text, whose length grows with its depth and no faster', () => {
    const textOf = (depth: number) => {
      let value: unknown = 'x';
      for (let level = 0; level < depth; level++) value = { kvlistValue: { values: [{ key: 'k', value }] } };
      value = JSON.parse(JSON.stringify(value).replace('"x"', '{"stringValue":"x"}'));
      const attributes = [{ key: 'map', value }];
      const [read] = spansOfTracesData({
        resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: 'a', spanId: 'b', attributes }] }] }],
      });
      return String(read?.attributes.map);
    };
    expect(textOf(3)).toBe('{"k":{"k":{"k":"x"}}}');
    expect(textOf(25).length).toBeLessThan(300);
  });
});
