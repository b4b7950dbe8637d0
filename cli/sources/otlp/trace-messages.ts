/**
 * The messages of OTLP traces by field number, with the names and forms that OTLP JSON gives them. What nothing here reads
 * (trace state, flags, counts of what was dropped) is left out.
 *
 * From open-telemetry/opentelemetry-proto (commit 05e412f, read 2026-12-02): `trace/v1/trace.proto`, `common/v1/common.proto`,
 * `resource/v1/resource.proto`. `ExportTraceServiceRequest` and `TracesData` are one form on the wire.
 */
import type { Reader } from 'protobufjs/minimal.js';
import type { JsonValue } from '../../../src/exchange.ts';

interface Scalar {
  readonly wireType: 0 | 1 | 2;
  read(reader: Reader): JsonValue;
}

export interface Message {
  readonly wireType?: undefined;
  readonly read?: undefined;
  /** By number. */
  readonly fields: Readonly<Record<number, Field | undefined>>;
}

export interface Field {
  readonly name: string;
  readonly type: Scalar | Message;
  readonly isRepeated: boolean;
}

const text: Scalar = { wireType: 2, read: (reader) => reader.string() };
const id: Scalar = { wireType: 2, read: (reader) => Buffer.from(reader.bytes()).toString('hex') };
const bytes: Scalar = { wireType: 2, read: (reader) => Buffer.from(reader.bytes()).toString('base64') };
const flag: Scalar = { wireType: 0, read: (reader) => reader.bool() };
const enumeration: Scalar = { wireType: 0, read: (reader) => reader.int32() };
const integer: Scalar = { wireType: 0, read: (reader) => String(reader.int64()) };
const double: Scalar = { wireType: 1, read: (reader) => reader.double() };
const nanoseconds: Scalar = { wireType: 1, read: (reader) => String(reader.fixed64()) };

const one = (name: string, type: Field['type']): Field => ({ name, type, isRepeated: false });
const many = (name: string, type: Field['type']): Field => ({ name, type, isRepeated: true });

const anyValueFields: Record<number, Field> = {
  1: one('stringValue', text),
  2: one('boolValue', flag),
  3: one('intValue', integer),
  4: one('doubleValue', double),
  7: one('bytesValue', bytes),
};
const anyValue: Message = { fields: anyValueFields };
const keyValue: Message = { fields: { 1: one('key', text), 2: one('value', anyValue) } };
// A value may hold values.
anyValueFields[5] = one('arrayValue', { fields: { 1: many('values', anyValue) } });
anyValueFields[6] = one('kvlistValue', { fields: { 1: many('values', keyValue) } });

const resource: Message = { fields: { 1: many('attributes', keyValue) } };
const scope: Message = { fields: { 1: one('name', text), 2: one('version', text) } };
const event: Message = {
  fields: { 1: one('timeUnixNano', nanoseconds), 2: one('name', text), 3: many('attributes', keyValue) },
};
const link: Message = {
  fields: { 1: one('traceId', id), 2: one('spanId', id), 4: many('attributes', keyValue) },
};
const status: Message = { fields: { 2: one('message', text), 3: one('code', enumeration) } };
const span: Message = {
  fields: {
    1: one('traceId', id),
    2: one('spanId', id),
    4: one('parentSpanId', id),
    5: one('name', text),
    6: one('kind', enumeration),
    7: one('startTimeUnixNano', nanoseconds),
    8: one('endTimeUnixNano', nanoseconds),
    9: many('attributes', keyValue),
    11: many('events', event),
    13: many('links', link),
    15: one('status', status),
  },
};
const scopeSpans: Message = { fields: { 1: one('scope', scope), 2: many('spans', span) } };
const resourceSpans: Message = {
  fields: { 1: one('resource', resource), 2: many('scopeSpans', scopeSpans) },
};

export const TRACES_DATA: Message = { fields: { 1: many('resourceSpans', resourceSpans) } };
