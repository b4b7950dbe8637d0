/**
 * A request handler for AWS clients whose bodies arrive in equal pieces and count what is asked of them, so that the reads
 * of two runs can be compared: the network's own pieces depend on the moment.
 */

import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { TransportCounts } from './attempts.ts';

export type BodyKind = 'Node stream' | 'web stream' | 'bytes';

const PIECE_BYTES = 48;

type Handle = NodeHttpHandler['handle'];

/** `failure` breaks the body after its last piece. */
export function countingHandler(
  counts: TransportCounts,
  kind: BodyKind,
  failure?: Error,
): { handle: Handle; destroy(): void } {
  const inner = new NodeHttpHandler();
  return {
    async handle(request, options) {
      const { response } = await inner.handle(request, options);
      const bytes = new Uint8Array(await buffer(response.body as Readable));
      response.body = bodyOf(bytes, counts, kind, failure);
      return { response };
    },
    destroy: () => inner.destroy(),
  };
}

function bodyOf(
  bytes: Uint8Array,
  counts: TransportCounts,
  kind: BodyKind,
  failure: Error | undefined,
): unknown {
  if (kind === 'bytes') return bytes;
  let at = 0;
  const nextPiece = (): Uint8Array | undefined => {
    counts.pulls++;
    if (at >= bytes.length) return undefined;
    const piece = bytes.slice(at, at + PIECE_BYTES);
    at += PIECE_BYTES;
    return piece;
  };
  if (kind === 'web stream') {
    return new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const piece = nextPiece();
          if (piece !== undefined) controller.enqueue(piece);
          else if (failure === undefined) controller.close();
          else controller.error(failure);
        },
        cancel() {
          counts.cancels++;
        },
      },
      { highWaterMark: 0 },
    );
  }
  return new Readable({
    highWaterMark: 0,
    read() {
      const piece = nextPiece();
      if (piece !== undefined) this.push(piece);
      else if (failure === undefined) this.push(null);
      else this.destroy(failure);
    },
    destroy(error, callback) {
      if (at < bytes.length) counts.cancels++;
      callback(error);
    },
  });
}
