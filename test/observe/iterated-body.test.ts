/** The iterator of an observed body beside that of a plain one: the same to the caller and to the source. */
import { describe, expect, it } from 'vitest';
import type { StreamEnd } from '../../src/observe/follow-reads.ts';
import { passThrough } from '../../src/observe/pass-through.ts';

interface Told {
  readonly body: ReadableStream<Uint8Array>;
  readonly source: { pulls: number; cancels: unknown[] };
  readonly seen: { chunks: number; ends: StreamEnd[] };
}

function bodyOf(chunks: number, isObserved: boolean, fails = false): Told {
  const source = { pulls: 0, cancels: [] as unknown[] };
  const seen = { chunks: 0, ends: [] as StreamEnd[] };
  const plain = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        source.pulls += 1;
        if (source.pulls <= chunks) controller.enqueue(new Uint8Array([source.pulls]));
        else if (fails) controller.error(new Error('broken'));
        else controller.close();
      },
      cancel(reason) {
        source.cancels.push(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const observer = {
    onChunk() {
      seen.chunks += 1;
    },
    onEnd: (end: StreamEnd) => void seen.ends.push(end),
  };
  return { body: isObserved ? passThrough(plain, {}, observer) : plain, source, seen };
}

/** What a caller and the source get to see, by each way of use. */
const USES: Record<string, (body: ReadableStream<Uint8Array>) => Promise<unknown>> = {
  async 'read to its end'(body) {
    const values: number[] = [];
    for await (const chunk of body) values.push(chunk[0] as number);
    return values;
  },
  async 'left in the middle'(body) {
    for await (const chunk of body) if (chunk[0] === 2) break;
    return (await body.getReader().read()).done;
  },
  'left before its beginning': async (body) => await body[Symbol.asyncIterator]().return?.(),
  async 'locked while it is iterated'(body) {
    const response = new Response(body);
    const iterator = body[Symbol.asyncIterator]();
    await iterator.next();
    const during = [body.locked, response.bodyUsed];
    await iterator.return?.();
    return [during, body.locked, response.bodyUsed];
  },
  async 'gone on with after a loop that does not cancel'(body) {
    for await (const _ of body.values({ preventCancel: true })) break;
    return (await body.getReader().read()).value;
  },
  async 'asked for two chunks at once'(body) {
    const iterator = body[Symbol.asyncIterator]();
    return await Promise.all([iterator.next(), iterator.next()]);
  },
  async 'iterated twice at once'(body) {
    body[Symbol.asyncIterator]();
    try {
      body[Symbol.asyncIterator]();
      return 'allowed';
    } catch (error) {
      return (error as Error).name;
    }
  },
};

describe('a body that is iterated', () => {
  for (const [name, use] of Object.entries(USES)) {
    it(`is the same to the caller and to the source: ${name}`, async () => {
      const [plain, observed] = [bodyOf(3, false), bodyOf(3, true)];
      expect(await use(observed.body)).toEqual(await use(plain.body));
      expect(observed.source).toEqual(plain.source);
    });
  }

  it('is shown to the observer chunk by chunk, with its end', async () => {
    const { body, seen } = bodyOf(3, true);
    await USES['read to its end']?.(body);
    expect(seen).toEqual({ chunks: 3, ends: [{ reason: 'eof' }] });
  });

  it('tells the observer of a loop that was left', async () => {
    const { body, seen } = bodyOf(3, true);
    await USES['left in the middle']?.(body);
    expect(seen).toEqual({ chunks: 2, ends: [{ reason: 'canceled' }] });
  });

  it('hands the very error of the source to the loop', async () => {
    const { body, seen } = bodyOf(1, true, true);
    await expect(USES['read to its end']?.(body)).rejects.toThrow('broken');
    expect(seen.ends.map(({ reason }) => reason)).toEqual(['failed']);
  });
});
