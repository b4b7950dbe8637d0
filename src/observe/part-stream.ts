/**
 * A stream of parsed parts that reports itself while the caller reads it: `pass-through.ts` for what is no body of bytes.
 *
 * A `TransformStream` reads one part ahead of its reader, and would hold a model to a pace that the caller did not ask for.
 */
import { followReads, type StreamEnd } from './follow-reads.ts';

export interface PartObserver<Part> {
  /** Before the caller gets the part. */
  onPart(part: Part): void;
  /** Once. */
  onEnd(end: StreamEnd): void;
}

export function observedParts<Part>(
  source: ReadableStream<Part>,
  observer: PartObserver<Part>,
): ReadableStream<Part> {
  const { pull, cancel } = followReads(source, {
    onValue: (part) => observer.onPart(part),
    onEnd: (end) => observer.onEnd(end),
  });
  // Nothing is read before the caller asks.
  return new ReadableStream<Part>({ pull, cancel }, { highWaterMark: 0 });
}
