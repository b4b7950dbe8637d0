/**
 * A recorded body of `application/vnd.amazon.eventstream`, the framing of Bedrock's streams, → its events.
 *
 * A frame: total length, header length, checksum (4 bytes each, big endian), headers, payload, checksum (4 bytes).
 * https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html
 */
import type { Api } from '../../exchange.ts';
import type { StreamEvent } from '../../response/stream-events.ts';

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const STRING_HEADER = 7;

/** Ends at the first frame that is not whole. */
export function awsEvents(api: Api, body: Uint8Array): StreamEvent[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const events: StreamEvent[] = [];
  let start = 0;
  while (start + PRELUDE_BYTES <= bytes.length) {
    const end = start + bytes.readUInt32BE(start);
    const payloadStart = start + PRELUDE_BYTES + bytes.readUInt32BE(start + 4);
    if (end > bytes.length || payloadStart > end - CHECKSUM_BYTES) break;
    const name = eventType(bytes.subarray(start + PRELUDE_BYTES, payloadStart));
    const payload = bytes.toString('utf8', payloadStart, end - CHECKSUM_BYTES);
    events.push(api === 'bedrock.converse' ? { name, data: payload } : unwrapped(payload));
    start = end;
  }
  return events;
}

/** InvokeModel wraps the vendor's own event, in base64. */
function unwrapped(payload: string): StreamEvent {
  const encoded = /"bytes"\s*:\s*"([^"]*)"/.exec(payload)?.[1] ?? '';
  return { name: undefined, data: Buffer.from(encoded, 'base64').toString('utf8') };
}

/** Header names and string values come with their lengths; the service sends no other type before this one. */
function eventType(headers: Buffer): string | undefined {
  let at = 0;
  while (at < headers.length) {
    const nameEnd = at + 1 + headers.readUInt8(at);
    if (nameEnd + 3 > headers.length || headers.readUInt8(nameEnd) !== STRING_HEADER) return undefined;
    const valueEnd = nameEnd + 3 + headers.readUInt16BE(nameEnd + 1);
    if (headers.toString('utf8', at + 1, nameEnd) === ':event-type')
      return headers.toString('utf8', nameEnd + 3, valueEnd);
    at = valueEnd;
  }
  return undefined;
}
