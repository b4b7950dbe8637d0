/**
 * Reads server-sent events as they pass. Holds one unfinished event at most.
 *
 * Nearly all chunks are whole events of content. They are searched as bytes and neither decoded nor cut apart, which would
 * cost ten times as much.
 */
import { createParser } from 'eventsource-parser';
import type { Api } from '../exchange.ts';
import { guard, report } from '../guard.ts';
import { type BodyReader, type BodyReading, MAX_HELD_CHARS } from '../response/body-reading.ts';
import { EVENT_READERS, mayStateFacts } from '../response/stream-events.ts';

export function sseReader(api: Api, reading: BodyReading): BodyReader {
  const decoder = new TextDecoder();
  const readEvent = EVENT_READERS[api];
  let isBlind = false;
  let isBetweenEvents = true;
  reading.isEofProper = false;
  const parser = createParser({
    maxBufferSize: MAX_HELD_CHARS,
    onEvent({ event: name, data }) {
      // One event that is no JSON does not hide the usage in a later one.
      guard('a stream event could not be read', () => readEvent({ name, data }, reading));
    },
    onError(error) {
      if (error.type !== 'max-buffer-size-exceeded') return;
      isBlind = true;
      reading.isEofProper = true;
      report('a stream event was too large to read, the usage of its call is unknown', {
        maxChars: MAX_HELD_CHARS,
      });
    },
  });
  return {
    push(chunk) {
      if (isBlind) return;
      const endsWithEvent = endsWithBlankLine(chunk);
      if (isBetweenEvents && endsWithEvent && !mayStateFacts(api, asciiOf(chunk), reading)) return;
      isBetweenEvents = endsWithEvent;
      parser.feed(decoder.decode(chunk, { stream: true }));
    },
    close(isWhole) {
      // A server that ends without a blank line has still sent its last event.
      if (isWhole && !isBlind) parser.feed('\n\n');
    },
  };
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function endsWithBlankLine(chunk: Uint8Array): boolean {
  const last = chunk.length - 1;
  if (chunk[last] !== NEWLINE) return false;
  return chunk[last - 1] === NEWLINE || (chunk[last - 1] === CARRIAGE_RETURN && chunk[last - 2] === NEWLINE);
}

/** One character a byte: the ASCII in it is right, and that is all that is searched for. */
function asciiOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}
