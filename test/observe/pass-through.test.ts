import { describe, expect, it } from 'vitest';
import { passThrough } from '../../src/observe/pass-through.ts';

function byteStream(...chunks: string[]): ReadableStream<Uint8Array> {
  const bytes = chunks.map((chunk) => new TextEncoder().encode(chunk));
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const next = bytes.shift();
      if (next) controller.enqueue(next);
      else {
        controller.close();
        controller.byobRequest?.respond(0);
      }
    },
  });
}

describe('passThrough', () => {
  it('answers several reads into buffers of the caller that wait at once', async () => {
    const seen: string[] = [];
    const ends: string[] = [];
    const body = passThrough(
      byteStream('ab', 'cd'),
      {},
      {
        onChunk: (chunk) => seen.push(new TextDecoder().decode(chunk)),
        onEnd: ({ reason }) => ends.push(reason),
      },
    );
    const reader = body.getReader({ mode: 'byob' });
    const reads = await Promise.all([1, 2, 3].map(() => reader.read(new Uint8Array(8))));
    expect(reads.map(({ value, done }) => [new TextDecoder().decode(value), done])).toEqual([
      ['ab', false],
      ['cd', false],
      ['', true],
    ]);
    expect(seen).toEqual(['ab', 'cd']);
    expect(ends).toEqual(['eof']);
  });
});
