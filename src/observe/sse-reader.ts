/**
 * Reads server-sent events as they pass. Holds one unfinished event at most.
 */
import { createParser } from 'eventsource-parser';
import type { Api } from '../exchange.ts';
import { guard, report } from '../guard.ts';
import { type BodyReader, type BodyReading, MAX_HELD_CHARS } from '../response/body-reading.ts';
import { EVENT_READERS } from '../response/stream-events.ts';

export function sseReader(api: Api, reading: BodyReading): BodyReader {
  const decoder = new TextDecoder();
  const readEvent = EVENT_READERS[api];
  let isBlind = false;
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
      if (!isBlind) parser.feed(decoder.decode(chunk, { stream: true }));
    },
    close(isWhole) {
      // A server that ends without a blank line has still sent its last event.
      if (isWhole && !isBlind) parser.feed('\n\n');
    },
  };
}
