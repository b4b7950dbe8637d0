/**
 * A body that reports itself while the caller reads it.
 *
 * Invariant: the source sees exactly the reads and the cancel that the caller makes. Not `tee()` or `clone()`: these read
 * ahead without end, keep what the caller does not read, and their second branch rejects with nobody to catch it
 * (https://github.com/PostHog/posthog-js/issues/4074, https://github.com/nodejs/undici/pull/3445).
 */
import { followReads, type StreamEnd } from './follow-reads.ts';
import { iterateSource } from './iterated-body.ts';

export interface BodyObserver {
  /** Before the caller gets the chunk. The bytes belong to the caller: copy what is to stay. */
  onChunk(chunk: Uint8Array): void;
  /** Once. */
  onEnd(end: StreamEnd): void;
}

/** Two names for one thing: a byte stream and a default stream type the chunks of their controllers differently. */
type BytePull = (controller: ReadableByteStreamController) => Promise<void>;

/** `owner` is what the garbage collector must not take before the stream: undici cancels the body of a lost response. */
export function passThrough(
  source: ReadableStream<Uint8Array>,
  owner: object,
  observer: BodyObserver,
): ReadableStream<Uint8Array> {
  let _keptAlive: object | undefined = owner;
  let isIterated = false;
  const follower = {
    onValue(chunk: unknown) {
      if (chunk instanceof Uint8Array) observer.onChunk(chunk);
    },
    onEnd(end: StreamEnd) {
      _keptAlive = undefined;
      observer.onEnd(end);
    },
  };
  // A byte stream refuses empty chunks, and without a chunk it would not ask again.
  const { pull, cancel: cancelSource } = followReads(source, { ...follower, isLeftOut: isEmpty });
  const cancel = async (reason: unknown) => (isIterated ? undefined : cancelSource(reason));
  // Nothing is read before the caller asks.
  const strategy = { highWaterMark: 0 };
  const body = isByteStream(source)
    ? new ReadableStream({ type: 'bytes', pull: pull as BytePull, cancel }, strategy)
    : new ReadableStream<Uint8Array>({ pull, cancel }, strategy);
  iterateSource(body, source, follower, () => {
    isIterated = true;
  });
  return body;
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
