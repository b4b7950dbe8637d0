/**
 * Lets a body that is iterated, as the SDKs read their streams, be read from its source directly: each chunk of a stream on
 * top of another costs as much again as reading it does, and responses come in hundreds of chunks.
 *
 * Invariant: to the caller it is the stream's own iterator. It locks the stream at once, reads only when asked, cancels the
 * source when the loop is left, and the stream counts as used. Whatever else the stream is asked goes its usual way.
 */
import { guard, report } from '../guard.ts';
import type { ReadsFollower, StreamEnd } from './follow-reads.ts';

interface IteratorOptions {
  readonly preventCancel?: boolean;
}

/** `markUsed` cancels the stream without telling the source. */
export function iterateSource<Value>(
  stream: ReadableStream<Value>,
  source: ReadableStream<Value>,
  follower: Pick<ReadsFollower<Value>, 'onValue' | 'onEnd'>,
  markUsed: () => void,
): void {
  const ownIterator = stream.values as (options?: IteratorOptions) => AsyncIterator<Value>; // its type leaves the options out
  function iterate(this: ReadableStream<Value>, options?: IteratorOptions): AsyncIterator<Value> {
    // Begun in another way, or to be gone on with in another way.
    if (this !== stream || stream.locked || source.locked || options?.preventCancel === true)
      return ownIterator.call(this, options);
    const lock = stream.getReader();
    markUsed();
    guard('a body could not be marked as used', () => void lock.cancel());
    return followed(source.getReader(), follower, () => lock.releaseLock());
  }
  Object.defineProperties(stream, {
    values: { value: iterate, configurable: true, writable: true },
    [Symbol.asyncIterator]: { value: iterate, configurable: true, writable: true },
  });
}

function followed<Value>(
  reader: ReadableStreamDefaultReader<Value>,
  { onValue, onEnd }: Pick<ReadsFollower<Value>, 'onValue' | 'onEnd'>,
  release: () => void,
): AsyncIterableIterator<Value> {
  let isOver = false;
  let isLeft = false;
  const end = (streamEnd: StreamEnd): void => {
    if (isOver) return;
    isOver = true;
    guard('a stream could not be finished', () => onEnd(streamEnd));
  };
  const leave = async (): Promise<void> => {
    if (isLeft) return;
    isLeft = true;
    const isCanceled = !isOver;
    end({ reason: 'canceled' });
    if (isCanceled) await reader.cancel();
    reader.releaseLock();
    release();
  };
  // An abort is noticed by who is not reading right now.
  reader.closed.then(undefined, (error: unknown) => end({ reason: 'failed', error }));
  const taken = (result: ReadableStreamReadResult<Value>): IteratorResult<Value> => {
    if (result.done) {
      end({ reason: 'eof' });
      void leave();
      return DONE;
    }
    try {
      onValue(result.value);
    } catch (error) {
      report('a part of a stream could not be read', error);
    }
    return result;
  };
  const failed = (error: unknown): never => {
    end({ reason: 'failed', error });
    void leave();
    throw error;
  };
  let latest: Promise<unknown> | undefined;
  // By hand: a generator makes three promises a chunk, and a guarded step a function.
  return {
    next() {
      if (isLeft) return Promise.resolve(DONE);
      const next = reader.read().then(taken, failed);
      latest = next;
      return next;
    },
    async return() {
      await latest?.then(undefined, () => undefined);
      await leave();
      return DONE;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };
