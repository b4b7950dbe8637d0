/**
 * OTLP protobuf → the shape of OTLP JSON. The exporters' packages encode it and decode nothing, and a reader of our own
 * shares no mistake with them. Field numbers: open-telemetry/opentelemetry-proto v1.
 */
type Read = 'text' | 'hex' | 'boolean' | 'integer' | 'double' | 'fixed64' | Message;
interface Message {
  readonly [field: number]: readonly [name: string, read: Read, isRepeated?: 'repeated'];
}

const anyValue: Message = {};
const keyValue: Message = { 1: ['key', 'text'], 2: ['value', anyValue] };
Object.assign(anyValue, {
  1: ['stringValue', 'text'],
  2: ['boolValue', 'boolean'],
  3: ['intValue', 'integer'],
  4: ['doubleValue', 'double'],
  5: ['arrayValue', { 1: ['values', anyValue, 'repeated'] }],
  6: ['kvlistValue', { 1: ['values', keyValue, 'repeated'] }],
} satisfies Message);

const resource: Message = { 1: ['attributes', keyValue, 'repeated'] };
const scope: Message = { 1: ['name', 'text'], 2: ['version', 'text'] };
const link: Message = {
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  4: ['attributes', keyValue, 'repeated'],
};
const span: Message = {
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  4: ['parentSpanId', 'hex'],
  5: ['name', 'text'],
  6: ['kind', 'integer'],
  7: ['startTimeUnixNano', 'fixed64'],
  8: ['endTimeUnixNano', 'fixed64'],
  9: ['attributes', keyValue, 'repeated'],
  13: ['links', link, 'repeated'],
  15: ['status', { 2: ['message', 'text'], 3: ['code', 'integer'] }],
};
const point: Message = {
  4: ['asDouble', 'double'],
  6: ['asInt', 'fixed64'],
  7: ['attributes', keyValue, 'repeated'],
};
const metric: Message = {
  1: ['name', 'text'],
  3: ['unit', 'text'],
  7: ['sum', { 1: ['dataPoints', point, 'repeated'] }],
};

export const TRACES: Message = {
  1: [
    'resourceSpans',
    {
      1: ['resource', resource],
      2: ['scopeSpans', { 1: ['scope', scope], 2: ['spans', span, 'repeated'] }, 'repeated'],
    },
    'repeated',
  ],
};
export const METRICS: Message = {
  1: [
    'resourceMetrics',
    {
      1: ['resource', resource],
      2: ['scopeMetrics', { 1: ['scope', scope], 2: ['metrics', metric, 'repeated'] }, 'repeated'],
    },
    'repeated',
  ],
};

export type Decoded = { [name: string]: unknown };

export function decode(bytes: Buffer, message: Message): Decoded {
  const decoded: Decoded = {};
  let offset = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(offset++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const raw = (wireType: number): Buffer | bigint => {
    if (wireType === 0) return varint();
    const length = wireType === 1 ? 8 : wireType === 5 ? 4 : Number(varint());
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  while (offset < bytes.length) {
    const tag = Number(varint());
    const value = raw(tag & 7);
    const field = message[tag >> 3];
    if (field === undefined) continue;
    const [name, read, isRepeated] = field;
    const result = readValue(value, read);
    if (isRepeated) decoded[name] = [...((decoded[name] as unknown[] | undefined) ?? []), result];
    else decoded[name] = result;
  }
  return decoded;
}

function readValue(value: Buffer | bigint, read: Read): unknown {
  if (typeof value === 'bigint') return read === 'boolean' ? value === 1n : Number(BigInt.asIntN(64, value));
  if (read === 'text') return value.toString('utf8');
  if (read === 'hex') return value.toString('hex');
  if (read === 'double') return value.readDoubleLE();
  if (read === 'fixed64') return String(value.readBigUInt64LE());
  if (typeof read === 'object') return decode(value, read);
  throw new Error(`cannot read ${read} from bytes`);
}
