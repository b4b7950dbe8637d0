/**
 * Passes a body on as it comes: each piece at once, no faster than the other side takes it, and broken off where it was
 * broken off.
 */
import type { IncomingMessage, OutgoingMessage } from 'node:http';
import { guard } from '../guard.ts';
import type { StreamEnd } from '../observe/follow-reads.ts';
import type { BodyObserver } from '../observe/pass-through.ts';
import { pairsOf } from './passed-headers.ts';

/** `observer` is told after each piece has gone on. Whoever breaks `destination` off also stops `source`. */
export function relay(source: IncomingMessage, destination: OutgoingMessage, observer: BodyObserver): void {
  let hasEnded = false;
  const end = (bodyEnd: StreamEnd): void => {
    if (hasEnded) return;
    hasEnded = true;
    guard('the end of a body could not be read', () => observer.onEnd(bodyEnd));
  };
  const breakOff = (error: unknown): void => {
    if (!hasEnded) endEarly(destination);
    end({ reason: 'failed', error });
  };

  source.on('data', (chunk: Uint8Array) => {
    if (!destination.destroyed && !destination.write(chunk)) source.pause();
    guard('a piece of a body could not be read', () => observer.onChunk(chunk));
  });
  destination.on('drain', () => source.resume());
  // The rest has no way to go. Unread, it would block a client that reads the answer only after it has sent all.
  destination.on('close', () => source.resume());
  source.on('end', () => {
    const trailers = [...pairsOf(source.rawTrailers)] as [string, string][]; // Node asks for mutable pairs
    if (trailers.length > 0) destination.addTrailers(trailers);
    destination.end();
    end({ reason: 'eof' });
  });
  source.on('error', breakOff);
  source.on('close', () => breakOff(new Error('the connection was closed before the end of the body')));
}

/** Without the mark of a proper end, but with all that was written: what arrived is not taken back. */
function endEarly(destination: OutgoingMessage): void {
  if (destination.socket) destination.socket.destroySoon();
  else destination.destroy();
}
