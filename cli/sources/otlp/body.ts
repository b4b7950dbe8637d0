/** The body of a request, unpacked as it arrives and never held beyond what is allowed. */
import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { MAX_ARRIVING_BYTES, MAX_BODY_BYTES } from './limits.ts';

export type BodyProblem = 'too large' | 'busy' | 'unknown encoding' | 'damaged' | 'broken off';

export type ReadBody = (request: IncomingMessage) => Promise<Buffer | BodyProblem>;

const UNPACKERS: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
};

/** What it reads at one time counts together. */
export function bodyReader(maxBytes = MAX_BODY_BYTES, maxArrivingBytes = MAX_ARRIVING_BYTES): ReadBody {
  let arrivingBytes = 0;
  return async (request) => {
    const unpacked = unpackedBody(request);
    if (unpacked === undefined) return 'unknown encoding';
    let ownBytes = 0;
    const body = await collect(request, unpacked, (chunk) => {
      ownBytes += chunk.length;
      arrivingBytes += chunk.length;
      if (ownBytes > maxBytes) return 'too large';
      return arrivingBytes > maxArrivingBytes ? 'busy' : undefined;
    });
    arrivingBytes -= ownBytes;
    return body;
  };
}

function unpackedBody(request: IncomingMessage): Readable | undefined {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return request;
  const unpacker = UNPACKERS[encoding]?.();
  return unpacker && request.pipe(unpacker);
}

function collect(
  request: IncomingMessage,
  unpacked: Readable,
  problemWith: (chunk: Buffer) => BodyProblem | undefined,
): Promise<Buffer | BodyProblem> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const end = (result: Buffer | BodyProblem): void => {
      request.off('close', onClose);
      unpacked.off('data', onChunk);
      request.unpipe();
      // Not the request: it takes the answer with it.
      if (unpacked !== request) unpacked.destroy();
      resolve(result);
    };
    const onChunk = (chunk: Buffer): void => {
      const problem = problemWith(chunk);
      if (problem === undefined) chunks.push(chunk);
      else end(problem);
    };
    const onClose = (): void => {
      if (!request.complete) end('broken off');
    };
    unpacked.on('data', onChunk);
    unpacked.on('end', () => end(Buffer.concat(chunks)));
    unpacked.on('error', () => end(unpacked === request ? 'broken off' : 'damaged'));
    if (unpacked !== request) request.on('error', () => end('broken off'));
    request.on('close', onClose);
  });
}
