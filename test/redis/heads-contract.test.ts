/** What every store of shared heads does, in memory or in a server, whatever client leads there. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { HeadChange, HeadQuestion, HeadStore, StoredHead } from '../../src/lineage/shared/head-store.ts';
import { memoryHeads } from '../../src/lineage/shared/memory-heads.ts';
import { redisHeads } from '../../src/redis/index.ts';
import { ioRedis, nodeRedis, type TestClient } from './support/clients.ts';
import {
  ioRedisCluster,
  ioRedisWithPrefix,
  nodeRedisCluster,
  nodeRedisClusterV5,
  nodeRedisPool,
  nodeRedisV5,
} from './support/other-clients.ts';
import { startCluster, type TestCluster } from './support/redis-cluster.ts';
import {
  CLUSTER_SKIPPED,
  NO_CLUSTER,
  NO_SERVER,
  SKIPPED,
  startRedis,
  type TestServer,
} from './support/redis-server.ts';

type Connect = (url: string) => Promise<TestClient>;

/** Two instances that share one empty store. */
type TwoStores = () => readonly [HeadStore, HeadStore];

let pools = 0;
let place = { pool: '', scope: '' };

function question(over: Partial<HeadQuestion> = {}): HeadQuestion {
  return { ...place, opening: 'hello', chunks: [], name: null, ...over };
}

function head(id: string, over: Partial<StoredHead> = {}): StoredHead {
  return {
    id,
    opening: 'hello',
    record: bytes(`record of ${id}`),
    chunks: [],
    wasSummarised: false,
    ...over,
  };
}

function change(of: StoredHead, over: Partial<HeadChange> = {}): HeadChange {
  const chunk = (name: string) => bytes(`bytes of ${name}`);
  return { ...place, head: of, chunk, replaces: null, summarised: null, name: null, ...over };
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function textOf(value: Uint8Array | undefined): string {
  return new TextDecoder().decode(value);
}

function contract(makeStores: TwoStores): void {
  let one: HeadStore;
  let two: HeadStore;

  /** What the other instance sees of a scope. */
  const seen = async (over: Partial<HeadQuestion> = {}) => {
    const answer = await two.candidates(question(over));
    return answer.heads.map(({ id, record }) => [id, textOf(record)]);
  };

  beforeAll(() => {
    [one, two] = makeStores();
  });

  const inNewPool = (name: string, test: () => Promise<void>) =>
    it(name, async () => {
      pools += 1;
      place = { pool: `pool ${pools}`, scope: 'scope' };
      await test();
    });

  inNewPool('gives nothing where nothing was kept', async () => {
    expect(await one.candidates(question())).toEqual({ heads: [], chunks: new Map(), named: null });
    expect((await one.siblings(question())).heads).toEqual([]);
  });

  inNewPool('gives heads to the other instance, oldest first', async () => {
    await one.commit(change(head('a')));
    await two.commit(change(head('b')));
    expect(await seen()).toEqual([
      ['a', 'record of a'],
      ['b', 'record of b'],
    ]);
  });

  inNewPool('keeps the order of the commits where the clock of one instance is behind', async () => {
    await one.commit(change(head('a')));
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 60_000);
    await two.commit(change(head('b')));
    clock.mockRestore();
    expect((await seen()).map(([id]) => id)).toEqual(['a', 'b']);
  });

  inNewPool('keeps scopes and pools apart, and gives siblings of the pool', async () => {
    await one.commit(change(head('a')));
    await one.commit(change(head('b'), { scope: 'another scope' }));
    await one.commit(change(head('c'), { pool: `${place.pool} beside` }));
    expect(await seen()).toEqual([['a', 'record of a']]);
    expect((await two.siblings(question())).heads.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  inNewPool('lets a head take the place of another', async () => {
    await one.commit(change(head('a')));
    await two.commit(change(head('b'), { replaces: 'a' }));
    expect(await seen()).toEqual([['b', 'record of b']]);
    expect((await one.siblings(question())).heads.map(({ id }) => id)).toEqual(['b']);
  });

  inNewPool('keeps both heads where two instances go on from one at the same time', async () => {
    await one.commit(change(head('a', { chunks: ['m1'] })));
    await Promise.all([
      one.commit(change(head('b', { chunks: ['m1', 'm2'] }), { replaces: 'a' })),
      two.commit(change(head('c', { chunks: ['m1', 'm3'] }), { replaces: 'a' })),
    ]);
    const { heads, chunks } = await one.candidates(question());
    expect(heads.map(({ id }) => id).sort()).toEqual(['b', 'c']);
    const of = (id: string) =>
      heads.find((other) => other.id === id)?.chunks.map((name) => textOf(chunks.get(name)));
    expect(of('b')).toEqual(['bytes of m1', 'bytes of m2']);
    expect(of('c')).toEqual(['bytes of m1', 'bytes of m3']);
  });

  inNewPool('loses nothing where many instances commit to one scope at once', async () => {
    const ids = Array.from({ length: 16 }, (_, index) => `h${index}`);
    await Promise.all(ids.map((id, index) => (index % 2 === 0 ? one : two).commit(change(head(id)))));
    expect((await seen()).map(([id]) => id).sort()).toEqual([...ids].sort());
  });

  inNewPool('gives the chunks that the asker does not have, in their order', async () => {
    await one.commit(change(head('a', { chunks: ['m1', 'm2', 'm3'] })));
    const { heads, chunks } = await two.candidates(question({ chunks: ['m1'] }));
    const [first, ...others] = heads[0]?.chunks ?? [];
    expect(first).toBe('m1');
    expect(chunks.has('m1')).toBe(false);
    expect(others.map((name) => textOf(chunks.get(name)))).toEqual(['bytes of m2', 'bytes of m3']);
  });

  inNewPool('asks for the bytes of new chunks alone', async () => {
    const asked: string[] = [];
    const chunk = (name: string) => {
      asked.push(name);
      return bytes(`bytes of ${name}`);
    };
    await one.commit(change(head('a', { chunks: ['m1', 'm2'] }), { chunk }));
    await one.commit(change(head('b', { chunks: ['m1', 'm2', 'm3'] }), { chunk, replaces: 'a' }));
    expect(asked).toEqual(['m1', 'm2', 'm3']);
  });

  inNewPool('remembers that a history was read by a side call', async () => {
    await one.commit(change(head('a')));
    await two.commit(change(head('side'), { summarised: 'a' }));
    const { heads } = await one.candidates(question());
    expect(heads.map(({ id, wasSummarised }) => [id, wasSummarised])).toEqual([
      ['a', true],
      ['side', false],
    ]);
  });

  inNewPool('finds a head by the name that the next request gives, in another scope too', async () => {
    await one.commit(change(head('a', { chunks: ['m1'] }), { name: 'response r1', scope: 'another scope' }));
    const answer = await two.candidates(question({ name: 'response r1' }));
    expect(answer.named).toBe('a');
    expect(answer.heads.map(({ id }) => id)).toEqual(['a']);
    expect([...answer.chunks.values()].map(textOf)).toEqual(['bytes of m1']);
    expect((await two.candidates(question({ name: 'response r2' }))).named).toBeNull();
  });

  inNewPool('prefers conversations that open alike, then the newest', async () => {
    await one.commit(change(head('alike')));
    for (let index = 0; index < 20; index += 1) {
      await one.commit(change(head(`other${index}`, { opening: `opening ${index}` })));
    }
    const ids = (await seen()).map(([id]) => id);
    expect(ids).toHaveLength(16);
    expect(ids[0]).toBe('alike');
    expect(ids.at(-1)).toBe('other19');
  });

  inNewPool('holds a bounded number of heads in a scope, and lets the oldest go', async () => {
    for (let index = 0; index < 70; index += 1)
      await one.commit(change(head(`h${index}`, { opening: `o${index}` })));
    expect((await seen({ opening: 'o0' })).map(([id]) => id)).not.toContain('h0');
    expect((await seen({ opening: 'o6' })).map(([id]) => id)).toContain('h6');
  });
}

describe('heads in memory', () => {
  contract(() => {
    const store = memoryHeads();
    return [store, store];
  });

  it('let the least recently used go where there are too many bytes or heads', async () => {
    place = { pool: 'pool', scope: 'scope' };
    const record = new Uint8Array(1_000);
    const store = memoryHeads({ bytes: 10_000, heads: 8 });
    for (let index = 0; index < 50; index += 1) {
      const of = head(`h${index}`, { record, chunks: ['m1', `m${index}`] });
      await store.commit(change(of, { scope: `scope ${index}` }));
    }
    expect(store.bytes).toBeLessThan(10_000);
    expect((await store.siblings(question())).heads.map(({ id }) => id)).toEqual(
      Array.from({ length: 8 }, (_, at) => `h${42 + at}`),
    );
  });
});

/** Two instances, each with a connection of its own. */
function connectedContract(connect: Connect, url: () => string): void {
  let clients: TestClient[];

  beforeAll(async () => {
    clients = [await connect(url()), await connect(url())];
  });
  afterAll(() => {
    for (const { close } of clients) close();
  });

  contract(() => {
    const options = { secret: 'shared by both', deadlineMs: 5_000 };
    return [
      redisHeads((clients[0] as TestClient).client, options),
      redisHeads((clients[1] as TestClient).client, options),
    ];
  });
}

describe.skipIf(NO_SERVER)(`heads in a server${SKIPPED}`, () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  describe.each([
    ['redis', nodeRedis],
    ['redis 5', nodeRedisV5],
    ['a pool of redis', nodeRedisPool],
    ['ioredis', ioRedis],
    ['ioredis that puts a prefix of its own in front of keys', ioRedisWithPrefix],
  ] as [string, Connect][])('through %s', (_name, connect) => {
    connectedContract(connect, () => server.url);
  });
});

describe.skipIf(NO_CLUSTER)(`heads in a cluster of three${CLUSTER_SKIPPED}`, () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await startCluster();
  }, 60_000);
  afterAll(() => cluster.stop());

  describe.each([
    ['redis', nodeRedisCluster],
    ['redis 5', nodeRedisClusterV5],
    ['ioredis', ioRedisCluster],
  ] as [string, Connect][])('through %s', (_name, connect) => {
    connectedContract(connect, () => cluster.url);

    it('has put something on each node', async () => {
      expect(Math.min(...(await cluster.keysOfNodes()))).toBeGreaterThan(0);
      await cluster.flush();
    });
  });
});
