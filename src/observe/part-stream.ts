/**
 * A stream of parsed parts that reports itself while the caller reads it: `pass-through.ts` for what is no body of bytes.
 *
 * Invariant: the source sees exactly the reads and the cancel that the caller makes. A `TransformStream` reads one part
 * ahead of its reader, and would hold a model to a pace that the caller did not ask for.
 */
import { guard } from '../guard.ts';
import type { BodyEnd } from './pass-through.ts';

export interface PartObserver<Part> {
  /** Before the caller gets the part. */
  onPart(part: Part): void;
  /** Once. */
  onEnd(end: BodyEnd): void;
}

export function observedParts<Part>(
  source: ReadableStream<Part>,
  observer: PartObserver<Part>,
): ReadableStream<Part> {
  let reader: ReadableStreamDefaultReader<Part> | undefined;
  let hasEnded = false;

  const end = (bodyEnd: BodyEnd): void => {
    if (hasEnded) return;
    hasEnded = true;
    guard('a stream of parts could not be finished', () => observer.onEnd(bodyEnd));
  };

  const lock = (controller: ReadableStreamDefaultController<Part>): ReadableStreamDefaultReader<Part> => {
    const locked = source.getReader();
    // An abort reaches a caller that is not reading right now, as it would without us.
    locked.closed.then(undefined, (error: unknown) => {
      end({ reason: 'failed', error });
      controller.error(error);
    });
    return locked;
  };

  return new ReadableStream<Part>(
    {
      async pull(controller) {
        reader ??= lock(controller);
        let result: ReadableStreamReadResult<Part>;
        try {
          result = await reader.read();
        } catch (error) {
          end({ reason: 'failed', error });
          controller.error(error);
          return;
        }
        if (hasEnded) return;
        if (result.done) {
          end({ reason: 'eof' });
          controller.close();
          return;
        }
        const { value } = result;
        guard('a part of a stream could not be read', () => observer.onPart(value));
        controller.enqueue(value);
      },
      cancel(reason) {
        end({ reason: 'canceled' });
        return reader === undefined ? source.cancel(reason) : reader.cancel(reason);
      },
    },
    // Nothing is read before the caller asks.
    { highWaterMark: 0 },
  );
}
