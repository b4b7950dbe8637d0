/**
 * A Node stream that reports itself while the caller reads it: the sibling of `pass-through.ts`.
 *
 * It stays the very same stream. Whichever way a Readable is read (listeners, `read()`, iteration, `pipe()`), each chunk
 * passes its `emit('data')` before the caller has it. So listening there leaves the flow alone: no reads of ours, no second
 * buffer, the backpressure, errors and members of the original. A listener would not do, as adding one starts the flow.
 */
import { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import { guard } from '../guard.ts';
import type { StreamEnd } from './follow-reads.ts';
import type { BodyObserver } from './pass-through.ts';

/** By shape first: where nobody made such a stream, the module of its class need not be loaded. */
export function isNodeStream(body: unknown): body is Readable {
  const { pipe } = (body ?? {}) as { readonly pipe?: unknown }; // anything may be asked for a member
  return typeof pipe === 'function' && body instanceof process.getBuiltinModule('node:stream').Readable;
}

export function passThroughNode(source: Readable, observer: BodyObserver): Readable {
  const { emit } = source;
  let hasEnded = false;

  const end = (bodyEnd: StreamEnd): void => {
    if (hasEnded) return;
    hasEnded = true;
    observer.onEnd(bodyEnd);
  };

  const note = (event: string | symbol, detail: unknown): void => {
    if (hasEnded) return;
    if (event === 'data') observer.onChunk(bytesOf(detail, source));
    else if (event === 'end') end({ reason: 'eof' });
    else if (event === 'error') end(brokenOff(detail));
    // An error that nobody listens for is not emitted by the streams of `node:http`, and close is all there is.
    else if (event === 'close') end(brokenOff(source.errored));
  };

  function observedEmit(this: Readable, event: string | symbol, ...details: unknown[]): boolean {
    guard('a response could not be followed', () => note(event, details[0]));
    return emit.call(this, event, ...details);
  }
  Object.defineProperty(source, 'emit', { value: observedEmit, configurable: true, writable: true });
  return source;
}

/** A caller that stops early destroys the stream, with an error of that name or with none. */
function brokenOff(error: unknown): StreamEnd {
  const isCanceled = !error || (error instanceof Error && error.name === 'AbortError');
  return isCanceled ? { reason: 'canceled' } : { reason: 'failed', error };
}

/** A stream that was told an encoding hands out text. */
function bytesOf(chunk: unknown, source: Readable): Uint8Array {
  if (typeof chunk === 'string') return Buffer.from(chunk, source.readableEncoding ?? 'utf8');
  return chunk instanceof Uint8Array ? chunk : new Uint8Array();
}
