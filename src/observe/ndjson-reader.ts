/**
 * Reads newline-delimited JSON as it passes: the streams of Ollama's own API. Holds one unfinished line at most.
 */
import { guard, report } from '../guard.ts';
import { type BodyReader, type BodyReading, MAX_HELD_CHARS } from '../response/body-reading.ts';
import { readOllamaLine } from '../response/stream-events.ts';

export function ndjsonReader(reading: BodyReading): BodyReader {
  const decoder = new TextDecoder();
  let unfinished: string | undefined = '';
  reading.isEofProper = false;
  const read = (line: string): void => {
    if (line.trim() === '') return;
    // One line that is no JSON does not hide the usage in a later one.
    guard('a line of a stream could not be read', () =>
      readOllamaLine({ name: undefined, data: line }, reading),
    );
  };
  return {
    push(chunk) {
      if (unfinished === undefined) return;
      const lines: string[] = (unfinished + decoder.decode(chunk, { stream: true })).split('\n');
      unfinished = lines.pop() ?? '';
      for (const line of lines) read(line);
      if (unfinished.length <= MAX_HELD_CHARS) return;
      unfinished = undefined;
      reading.isEofProper = true;
      report('a line of a stream was too large to read, the usage of its call is unknown', {
        maxChars: MAX_HELD_CHARS,
      });
    },
    close(isWhole) {
      // A server that ends without a line break has still sent its last line.
      if (isWhole && unfinished !== undefined) read(unfinished);
      unfinished = undefined;
    },
  };
}
