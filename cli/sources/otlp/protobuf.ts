/**
 * OTLP protobuf → the shape of OTLP JSON, so that both are read by the same code from here on.
 *
 * The wire is read by protobufjs; the walk is ours, because a body of 64 MB may name 30 million empty messages, and
 * protobufjs's own decoders make an object of each. Throws on what is no such message.
 */
import protobuf from 'protobufjs/minimal.js';
import type { JsonObject, JsonValue } from '../../../src/exchange.ts';
import { TooManyParts } from './limits.ts';
import { type Field, type Message, TRACES_DATA } from './trace-messages.ts';

type Reader = protobuf.Reader;

interface Budget {
  parts: number;
}

const LENGTH_DELIMITED = 2;
/** As protobufjs and the C++ library have it. */
const MAX_DEPTH = 100;

export function decodeTraces(bytes: Buffer, maxParts: number): JsonObject {
  const reader = protobuf.Reader.create(bytes);
  return readMessage(reader, reader.len, TRACES_DATA.fields, { parts: maxParts }, 0);
}

function readMessage(
  reader: Reader,
  end: number,
  fields: Message['fields'],
  budget: Budget,
  depth: number,
): JsonObject {
  budget.parts -= 1;
  if (budget.parts < 0) throw new TooManyParts();
  if (depth > MAX_DEPTH) throw new Error('nested too deeply');
  const message: Record<string, JsonObject[string]> = {};
  while (reader.pos < end) {
    const tag = reader.uint32();
    const field = fields[tag >>> 3];
    if (field === undefined) {
      reader.skipType(tag & 7);
      continue;
    }
    const value = readField(reader, tag & 7, field.type, budget, depth);
    const before = message[field.name];
    if (!field.isRepeated) message[field.name] = value;
    else if (Array.isArray(before)) before.push(value);
    else message[field.name] = [value];
  }
  // The reader knows the end of the body, not that of a message inside it.
  if (reader.pos !== end) throw new Error('a field reaches beyond its message');
  return message;
}

function readField(
  reader: Reader,
  wireType: number,
  type: Field['type'],
  budget: Budget,
  depth: number,
): JsonValue {
  if (wireType !== (type.wireType ?? LENGTH_DELIMITED))
    throw new Error('a field has another type than expected');
  if (type.read) return type.read(reader);
  const length = reader.uint32();
  if (length > reader.len - reader.pos) throw new Error('the message is cut short');
  return readMessage(reader, reader.pos + length, type.fields, budget, depth + 1);
}
