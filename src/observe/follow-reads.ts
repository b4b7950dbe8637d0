/**
 * The reads of a stream, followed: what a stream of ours asks of its source when its own reader asks.
 *
 * Invariant: the source sees exactly the reads and the cancel that the reader makes.
 */
import { guard } from '../guard.ts';

export type StreamEnd =
  | { readonly reason: 'eof' }
  | { readonly reason: 'canceled' }
  | { readonly reason: 'failed'; readonly error: unknown };

export interface ReadsFollower<Value> {
  /** A value that is not handed on: the next one is read instead. */
  isLeftOut?(value: Value): boolean;
  /** Before the reader gets the value. */
  onValue(value: Value): void;
  /** Once. */
  onEnd(end: StreamEnd): void;
}

interface Controller<Value> {
  enqueue(value: Value): void;
  close(): void;
  error(error: unknown): void;
  /** Of byte streams: a read into the reader's own buffer. */
  readonly byobRequest?: { respond(bytesWritten: number): void } | null | undefined;
}

export interface FollowedReads<Value> {
  pull(controller: Controller<Value>): Promise<void>;
  cancel(reason: unknown): Promise<void>;
}

export function followReads<Value>(
  source: ReadableStream<Value>,
  follower: ReadsFollower<Value>,
): FollowedReads<Value> {
  let reader: ReadableStreamDefaultReader<Value> | undefined;
  let hasEnded = false;

  const end = (streamEnd: StreamEnd): void => {
    if (hasEnded) return;
    hasEnded = true;
    guard('a stream could not be finished', () => follower.onEnd(streamEnd));
  };

  // Locked at the first read and not before: an unread body must stay collectable, which undici decides by the lock.
  const lock = (controller: Controller<Value>): ReadableStreamDefaultReader<Value> => {
    const locked = source.getReader();
    // An abort reaches a reader that is not reading right now, as it would without us.
    locked.closed.then(undefined, (error: unknown) => {
      end({ reason: 'failed', error });
      controller.error(error);
    });
    return locked;
  };

  return {
    async pull(controller) {
      reader ??= lock(controller);
      let result: ReadableStreamReadResult<Value>;
      try {
        do result = await reader.read();
        while (!result.done && follower.isLeftOut?.(result.value) === true);
      } catch (error) {
        end({ reason: 'failed', error });
        controller.error(error);
        return;
      }
      if (hasEnded) return;
      if (result.done) {
        end({ reason: 'eof' });
        controller.close();
        // A read into the reader's own buffer stays open until it is answered.
        controller.byobRequest?.respond(0);
        return;
      }
      const { value } = result;
      guard('a part of a stream could not be read', () => follower.onValue(value));
      controller.enqueue(value);
    },
    cancel(reason) {
      end({ reason: 'canceled' });
      return reader === undefined ? source.cancel(reason) : reader.cancel(reason);
    },
  };
}
