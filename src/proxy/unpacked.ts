/**
 * Shows a compressed body to its observer in plain, while the compressed bytes pass.
 *
 * Unpacking happens beside the passing, in pieces. Where it fails or falls behind, the rest passes unread and its usage is
 * unknown: what waits here is bounded.
 */
import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
} from 'node:zlib';
import { guard, report } from '../guard.ts';
import type { StreamEnd } from '../observe/follow-reads.ts';
import type { BodyObserver } from '../observe/pass-through.ts';

const MAX_WAITING_BYTES = 8 * 1024 * 1024;

const UNPACKERS: Readonly<Record<string, () => Gunzip | BrotliDecompress>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

export function unpacked(encoding: string | undefined, observer: BodyObserver): BodyObserver {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return observer;
  const unpacker = UNPACKERS[name]?.();
  return unpacker === undefined ? unread(observer) : throughUnpacker(unpacker, observer);
}

function throughUnpacker(unpacker: Gunzip | BrotliDecompress, observer: BodyObserver): BodyObserver {
  let isBlind = false;
  let bodyEnd: StreamEnd | undefined;
  const goBlind = (): void => {
    if (isBlind) return;
    isBlind = true;
    unpacker.destroy();
    // A body that was cut off cannot be unpacked to its end.
    if (bodyEnd === undefined || bodyEnd.reason === 'eof')
      report('a compressed response could not be read, its usage is unknown', undefined);
    if (bodyEnd !== undefined) observer.onEnd(bodyEnd);
  };
  unpacker.on('data', (chunk: Uint8Array) => {
    guard('a piece of a compressed body could not be read', () => observer.onChunk(chunk));
  });
  unpacker.on('end', () => observer.onEnd(bodyEnd ?? { reason: 'eof' }));
  unpacker.on('error', goBlind);
  return {
    onChunk(chunk) {
      if (isBlind) return;
      unpacker.write(chunk);
      if (unpacker.writableLength > MAX_WAITING_BYTES) goBlind();
    },
    onEnd(end) {
      bodyEnd = end;
      if (isBlind) observer.onEnd(end);
      else unpacker.end();
    },
  };
}

function unread(observer: BodyObserver): BodyObserver {
  return { onChunk() {}, onEnd: (end) => observer.onEnd(end) };
}
