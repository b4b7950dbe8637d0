/**
 * Reads `application/vnd.amazon.eventstream`, the framing of Bedrock's streams, as it passes.
 *
 * A frame: total length, header length, checksum (4 bytes each, big endian), headers, payload, checksum (4 bytes). The
 * checksums are the transport's business and not tested here.
 * https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html
 */
import { Buffer } from 'node:buffer';
import type { Api } from '../exchange.ts';
import { guard, report } from '../guard.ts';
import { type BodyReader, type BodyReading, MAX_HELD_CHARS } from '../response/body-reading.ts';
import { EVENT_READERS, type StreamEvent } from '../response/stream-events.ts';

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const STRING_HEADER = 7;

export function awsEventStreamReader(api: Api, reading: BodyReading): BodyReader {
  let held = Buffer.alloc(0);
  let isBlind = false;
  reading.isEofProper = false;
  const giveUp = (): void => {
    isBlind = true;
    reading.isEofProper = true;
    held = Buffer.alloc(0);
    report('an AWS event stream could not be read, the usage of its call is unknown', undefined);
  };
  return {
    push(chunk) {
      if (isBlind) return;
      // Copies: the bytes of `chunk` belong to the caller.
      held = Buffer.concat([held, chunk]);
      while (held.length >= PRELUDE_BYTES) {
        const frameBytes = held.readUInt32BE(0);
        if (frameBytes < PRELUDE_BYTES + CHECKSUM_BYTES || frameBytes > MAX_HELD_CHARS) {
          giveUp();
          return;
        }
        if (held.length < frameBytes) return;
        const frame = held.subarray(0, frameBytes);
        guard('a stream event could not be read', () => readFrame(frame, api, reading));
        held = held.subarray(frameBytes);
      }
    },
    close() {
      held = Buffer.alloc(0);
    },
  };
}

function readFrame(frame: Buffer, api: Api, reading: BodyReading): void {
  const headersEnd = PRELUDE_BYTES + frame.readUInt32BE(4);
  const headers = readHeaders(frame.subarray(PRELUDE_BYTES, headersEnd));
  const payload = frame.toString('utf8', headersEnd, frame.length - CHECKSUM_BYTES);
  const exception = headers.get(':exception-type');
  if (exception !== undefined) {
    reading.facts.error = { type: exception };
    reading.terminal = 'failed';
    return;
  }
  EVENT_READERS[api](eventOf(api, headers.get(':event-type'), payload), reading);
}

/** InvokeModel wraps the vendor's own event, in base64; Converse sends its events as they are. */
function eventOf(api: Api, name: string | undefined, payload: string): StreamEvent {
  if (api === 'bedrock.converse') return { name, data: payload };
  const { bytes } = JSON.parse(payload) as { readonly bytes?: unknown };
  return { name: undefined, data: Buffer.from(String(bytes), 'base64').toString('utf8') };
}

/** String headers up to the first of another type: the ones that matter are strings and no service mixes them. */
function readHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    if (bytes.readUInt8(nameEnd) !== STRING_HEADER) break;
    const valueStart = nameEnd + 3;
    const valueEnd = valueStart + bytes.readUInt16BE(nameEnd + 1);
    headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', valueStart, valueEnd));
    at = valueEnd;
  }
  return headers;
}
