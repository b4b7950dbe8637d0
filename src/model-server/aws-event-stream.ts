/**
 * Frames of `application/vnd.amazon.eventstream`: total length, header length, checksum of both, headers, payload, checksum
 * of all. https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html
 */
import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { JsonObject } from './types.ts';

export const AWS_EVENT_STREAM_TYPE = 'application/vnd.amazon.eventstream';

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const STRING_HEADER = 7;

export function eventFrame(name: string, payload: JsonObject): Uint8Array {
  return frame(
    { ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' },
    payload,
  );
}

/** An error in a stream that has begun. The SDK throws it as the exception of that name. */
export function exceptionFrame(name: string, message: string): Uint8Array {
  const headers = {
    ':exception-type': name,
    ':content-type': 'application/json',
    ':message-type': 'exception',
  };
  return frame(headers, { message });
}

function frame(headers: Readonly<Record<string, string>>, payload: JsonObject): Buffer {
  const headerBytes = Buffer.concat(Object.entries(headers).map(headerField));
  const payloadBytes = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(PRELUDE_BYTES);
  prelude.writeUInt32BE(PRELUDE_BYTES + headerBytes.length + payloadBytes.length + CHECKSUM_BYTES, 0);
  prelude.writeUInt32BE(headerBytes.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headerBytes, payloadBytes]);
  return Buffer.concat([message, checksumOf(message)]);
}

function headerField([name, value]: [string, string]): Buffer {
  const nameBytes = Buffer.from(name);
  const valueBytes = Buffer.from(value);
  const valueLength = Buffer.alloc(2);
  valueLength.writeUInt16BE(valueBytes.length);
  return Buffer.concat([
    Buffer.of(nameBytes.length),
    nameBytes,
    Buffer.of(STRING_HEADER),
    valueLength,
    valueBytes,
  ]);
}

function checksumOf(bytes: Buffer): Buffer {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32BE(crc32(bytes));
  return checksum;
}
