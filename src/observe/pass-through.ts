/**
 * A body that reports itself while the caller reads it.
 *
 * Invariant: the source sees exactly the reads and the cancel that the caller makes. Not `tee()` or `clone()`: these read
 * ahead without end, keep what the caller does not read, and their second branch rejects with nobody to catch it
 * (https://github.com/PostHog/posthog-js/issues/4074, https://github.com/nodejs/undici/pull/3445).
 */
import { guard } from '../guard.ts';

export type BodyEnd =
  | { readonly reason: 'eof' }
  | { readonly reason: 'canceled' }
  | { readonly reason: 'failed'; readonly error: unknown };

export interface BodyObserver {
  /** Before the caller gets the chunk. The bytes belong to the caller: copy what is to stay. */
  onChunk(chunk: Uint8Array): void;
  /** Once. */
  onEnd(end: BodyEnd): void;
}

type Controller = ReadableStreamDefaultController<Uint8Array> | ReadableByteStreamController;

/** `owner` is what the garbage collector must not take before the stream: undici cancels the body of a lost response. */
export function passThrough(
  source: ReadableStream<Uint8Array>,
  owner: object,
  observer: BodyObserver,
): ReadableStream<Uint8Array> {
  let _keptAlive: object | undefined = owner;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let hasEnded = false;

  const end = (bodyEnd: BodyEnd): void => {
    if (hasEnded) return;
    hasEnded = true;
    _keptAlive = undefined;
    guard('a response could not be finished', () => observer.onEnd(bodyEnd));
  };

  // Locked at the first read and not before: an unread body must stay collectable, which undici decides by the lock.
  const lock = (controller: Controller): ReadableStreamDefaultReader<Uint8Array> => {
    const locked = source.getReader();
    const onSourceError = (error: unknown): void => {
      end({ reason: 'failed', error });
      controller.error(error);
    };
    // An abort reaches a caller that is not reading right now, as it would without us.
    locked.closed.then(undefined, onSourceError);
    return locked;
  };

  const pull = async (controller: Controller): Promise<void> => {
    reader ??= lock(controller);
    let result: ReadableStreamReadResult<Uint8Array>;
    try {
      do {
        result = await reader.read();
        // A byte stream refuses empty chunks, and without a chunk it would not ask again.
      } while (!result.done && isEmpty(result.value));
    } catch (error) {
      end({ reason: 'failed', error });
      controller.error(error);
      return;
    }
    if (hasEnded) return;
    if (result.done) {
      end({ reason: 'eof' });
      controller.close();
      // A read into the caller's own buffer stays open until it is answered.
      if ('byobRequest' in controller) controller.byobRequest?.respond(0);
      return;
    }
    const { value } = result;
    if (value instanceof Uint8Array)
      guard('a response chunk could not be read', () => observer.onChunk(value));
    enqueue(controller, value);
  };

  const cancel = (reason: unknown): Promise<void> => {
    end({ reason: 'canceled' });
    return reader === undefined ? source.cancel(reason) : reader.cancel(reason);
  };

  // Nothing is read before the caller asks.
  const strategy = { highWaterMark: 0 };
  return isByteStream(source)
    ? new ReadableStream({ type: 'bytes', pull, cancel }, strategy)
    : new ReadableStream<Uint8Array>({ pull, cancel }, strategy);
}

/**
 * A byte stream takes over the memory of its chunks, so only a source that did so already may become one: chunks of
 * another source can be views of Node's shared buffer pool.
 */
function isByteStream(source: ReadableStream<Uint8Array>): boolean {
  try {
    source.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

/** The type says bytes; a hand-made source may hand out anything. */
function isEmpty(chunk: unknown): boolean {
  return chunk instanceof Uint8Array && chunk.byteLength === 0;
}

function enqueue(controller: Controller, chunk: Uint8Array): void {
  // Two overloads of one call: a byte stream and a default stream name their chunk types differently.
  (controller as ReadableStreamDefaultController<Uint8Array>).enqueue(chunk);
}
