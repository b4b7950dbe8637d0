import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import type { StreamEnd } from '../../src/observe/follow-reads.ts';
import { passThroughNode } from '../../src/observe/node-pass-through.ts';
import { nextTurn } from '../support/recorded-calls.ts';

interface Seen {
  text: string;
  readonly ends: StreamEnd[];
}

interface Source {
  readonly stream: Readable;
  readsOfSource: number;
  readonly seen: Seen;
}

/** A stream that hands out one letter a read. */
function observedSource(letters = 'abcdef', failure?: Error): Source {
  const seen: Seen = { text: '', ends: [] };
  let at = 0;
  const source: Source = {
    readsOfSource: 0,
    seen,
    stream: new Readable({
      highWaterMark: 1,
      read() {
        source.readsOfSource++;
        const letter = letters[at++];
        if (letter !== undefined) this.push(letter);
        else if (failure === undefined) this.push(null);
        else this.destroy(failure);
      },
    }),
  };
  const same = passThroughNode(source.stream, {
    onChunk(chunk) {
      seen.text += Buffer.from(chunk).toString();
    },
    onEnd: (end) => seen.ends.push(end),
  });
  expect(same).toBe(source.stream);
  return source;
}

const WAYS_TO_READ: readonly { readonly name: string; read(stream: Readable): Promise<string> }[] = [
  {
    name: 'by iteration',
    async read(stream) {
      let text = '';
      for await (const chunk of stream) text += chunk;
      return text;
    },
  },
  {
    name: 'by listeners',
    async read(stream) {
      let text = '';
      stream.on('data', (chunk) => {
        text += chunk;
      });
      await once(stream, 'end');
      return text;
    },
  },
  {
    name: 'by read()',
    async read(stream) {
      let text = '';
      stream.on('readable', () => {
        for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) text += chunk;
      });
      await once(stream, 'end');
      return text;
    },
  },
  {
    name: 'by a pipeline',
    async read(stream) {
      let text = '';
      await pipeline(stream, async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) text += chunk;
      });
      return text;
    },
  },
  {
    name: 'by pipe()',
    async read(stream) {
      const target = stream.pipe(new PassThrough());
      let text = '';
      for await (const chunk of target) text += chunk;
      return text;
    },
  },
  {
    name: 'as a web stream',
    read: async (stream) => new Response(Readable.toWeb(stream) as ReadableStream).text(),
  },
  {
    name: 'as text, with an encoding',
    async read(stream) {
      let text = '';
      for await (const chunk of stream.setEncoding('utf8')) text += chunk;
      return text;
    },
  },
];

describe.each(WAYS_TO_READ)('a stream that is read $name', ({ read }) => {
  it('is seen once, whole, and ends once', async () => {
    const { stream, seen } = observedSource();
    expect(await read(stream)).toBe('abcdef');
    expect(seen).toEqual({ text: 'abcdef', ends: [{ reason: 'eof' }] });
  });
});

it('is not read before its reader reads', async () => {
  const source = observedSource();
  await nextTurn();
  expect(source.readsOfSource).toBe(0);
  expect(source.stream.readableFlowing).toBeNull();
});

it('is read no further than its reader reads', async () => {
  const plain = { reads: 0 };
  const stream = new Readable({
    highWaterMark: 1,
    read() {
      plain.reads++;
      this.push('x');
    },
  });
  const source = observedSource('x'.repeat(100));
  for (const each of [stream, source.stream]) {
    each.once('readable', () => each.read(1));
    await nextTurn();
  }
  expect(source.readsOfSource).toBe(plain.reads);
  expect(source.seen.text).toBe('x');
});

it('shows a chunk before its reader has it', async () => {
  const { stream, seen } = observedSource();
  for await (const _ of stream) {
    expect(seen.text.length).toBeGreaterThan(0);
    break;
  }
});

it('reports a reader that leaves as canceled', async () => {
  const { stream, seen } = observedSource();
  for await (const _ of stream) break;
  await nextTurn();
  expect(stream.destroyed).toBe(true);
  expect(seen.ends).toEqual([{ reason: 'canceled' }]);
});

it('reports a destroyed stream as canceled, and one that breaks with its very error', async () => {
  const left = observedSource();
  left.stream.destroy();
  await once(left.stream, 'close');
  expect(left.seen.ends).toEqual([{ reason: 'canceled' }]);
  const boom = new Error('other side closed');
  const broken = observedSource('ab', boom);
  await expect(WAYS_TO_READ[0]?.read(broken.stream)).rejects.toBe(boom);
  expect(broken.seen).toEqual({ text: 'ab', ends: [{ reason: 'failed', error: boom }] });
});

it('does not let a fault of the observer reach the reader', async () => {
  const stream = passThroughNode(Readable.from([Buffer.from('a'), Buffer.from('b')]), {
    onChunk() {
      throw new Error('not the business of the host');
    },
    onEnd() {
      throw new Error('not the business of the host');
    },
  });
  expect(await WAYS_TO_READ[0]?.read(stream)).toBe('ab');
});

it('adds no listener and no enumerable member', () => {
  const plain = new Readable();
  const { stream } = observedSource();
  expect(stream.eventNames()).toEqual(plain.eventNames());
  expect(Object.keys(stream).filter((name) => name !== 'read' && name !== '_read')).toEqual(
    Object.keys(plain).filter((name) => name !== 'read' && name !== '_read'),
  );
});
