/** Whatever becomes of the server: no call notices, local heads take over, somebody is told, and it is well again by itself. */
import { DiagLogLevel, diag } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HeadStore } from '../../src/lineage/shared/head-store.ts';
import { type ModelServer, startModelServer } from '../../src/model-server/index.ts';
import { type RedisHeadsOptions, redisHeads } from '../../src/redis/index.ts';
import { ioRedis, nodeRedis, type TestClient } from './support/clients.ts';
import { type Instance, instance, until } from './support/live.ts';
import { ioRedisCluster, nodeRedisCluster, nodeRedisClusterV5 } from './support/other-clients.ts';
import { startCluster, type TestCluster } from './support/redis-cluster.ts';
import {
  CLUSTER_SKIPPED,
  NO_CLUSTER,
  NO_SERVER,
  SKIPPED,
  startRedis,
  type TestServer,
} from './support/redis-server.ts';

const SECRET = 'shared by all instances';
const warnings: string[] = [];

let models: ModelServer;
let server: TestServer;
let admin: Redis;
let clients: TestClient[];
/** Holds all answers of the model back while it is pending. */
let held = Promise.resolve();
let release = () => {};

describe.skipIf(NO_SERVER)(`a server in trouble${SKIPPED}`, () => {
  beforeAll(async () => {
    const warn = (message: string) => warnings.push(message);
    diag.setLogger({ warn, error() {}, info() {}, debug() {}, verbose() {} }, DiagLogLevel.WARN);
    // As a model does: what the heads say is there before the answer.
    models = await startModelServer({ firstByteDelayMs: 60, beforeFirstByte: () => held });
  });
  afterAll(() => models.close());

  beforeEach(async () => {
    warnings.length = 0;
    server = await startRedis();
    admin = new Redis(server.url, { retryStrategy: () => 50 });
    admin.on('error', () => {});
    clients = [];
  });
  afterEach(async () => {
    admin.disconnect();
    for (const { close } of clients) close();
    await server.stop();
  });

  const heads = async (options: Partial<RedisHeadsOptions> = {}, connect = nodeRedis): Promise<HeadStore> => {
    const connected = await connect(server.url);
    clients.push(connected);
    return redisHeads(connected.client, { secret: SECRET, deadlineMs: 5_000, ...options });
  };

  it('gives the next instance the conversation, and says where it changed', async () => {
    const [one, two] = [instance(models.url, await heads()), instance(models.url, await heads({}, ioRedis))];
    await one.tell('growing', 3);
    await two.tell('growing', 4);
    await one.tell('growing', 5, 'You plan journeys by bus. '.repeat(300));
    const [first, third] = one.diagnoses;
    const [second] = two.diagnoses;
    expect(second).toMatchObject({ turn: 2, divergence: null, outcome: 'hit', finding: false });
    expect(second?.baseline).toBe(first?.index);
    expect(third).toMatchObject({ turn: 3, baseline: second?.index, divergence: { component: 'system' } });
    expect(new Set([first, second, third].map((call) => call?.lineage)).size).toBe(1);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['redis', nodeRedis],
    ['ioredis', ioRedis],
  ])(
    'that goes down and comes up again: local heads go on meanwhile, one line says so (%s)',
    async (_name, connect) => {
      const store = await heads({}, connect);
      const one = instance(models.url, store);
      await one.tell('down', 3);
      await server.crash();
      for (const rounds of [4, 5, 6]) {
        await one.tell('down', rounds);
      }
      expect(one.diagnoses.map(({ turn, divergence }) => [turn, divergence])).toEqual(
        [1, 2, 3, 4].map((turn) => [turn, null]),
      );
      expect(warnings.filter((line) => line.includes('out of reach'))).toHaveLength(1);

      await server.restart();
      await until(() => store.isReachable);
      await one.tell('down', 7);
      const two = instance(models.url, await heads({}, connect));
      await two.tell('down', 8);
      expect(two.diagnoses).toMatchObject([{ turn: 6, divergence: null, outcome: 'hit' }]);
    },
  );

  it('that does not answer: the call is not delayed, and the metric counts it as late', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const meterProvider = new MeterProvider({ readers: [reader] });
    const store = await heads({ deadlineMs: 1_500, meterProvider });
    const one = instance(models.url, store);
    await one.tell('slow', 3);
    server.freeze();
    const startedAtMs = performance.now();
    await one.send('slow', 4);
    const tookMs = performance.now() - startedAtMs;
    await one.flush();
    expect(one.diagnoses.at(-1)).toMatchObject({ turn: 2, divergence: null });
    expect(tookMs).toBeLessThan(1_000);
    await reader.forceFlush();
    const points: { attributes: Record<string, unknown> }[] = exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
      .flatMap((metric) => metric.dataPoints as { attributes: Record<string, unknown> }[]);
    expect(points.map(({ attributes }) => attributes['prompt_cache.shared_heads.result'])).toContain('late');
    server.thaw();
    await until(() => store.isReachable);
    await one.tell('slow', 5);
    expect(one.diagnoses.at(-1)).toMatchObject({ turn: 3, divergence: null });
    await meterProvider.shutdown();
  });

  it('that was flushed: the instance that saw the call still knows it, and tells the others anew', async () => {
    const [one, two] = [instance(models.url, await heads()), instance(models.url, await heads())];
    await one.tell('flushed', 40);
    await admin.flushall();
    await one.tell('flushed', 41);
    await two.tell('flushed', 42);
    expect(one.diagnoses.at(-1)).toMatchObject({ turn: 2, divergence: null });
    expect(two.diagnoses).toMatchObject([{ turn: 3, divergence: null, outcome: 'hit' }]);
  });

  it('that is read-only: what it holds is read, and nothing is kept', async () => {
    const [one, two] = [instance(models.url, await heads()), instance(models.url, await heads())];
    await one.tell('read-only', 3);
    await admin.replicaof('127.0.0.1', 1);
    await two.tell('read-only', 4);
    expect(two.diagnoses).toMatchObject([{ turn: 2, divergence: null, outcome: 'hit' }]);
    expect(await admin.keys('*')).not.toHaveLength(0);
  });

  it('that holds foreign bytes, or what another secret sealed: they are left out', async () => {
    const one = instance(models.url, await heads());
    await one.tell('foreign', 40);
    const [scopeKey] = await admin.keysBuffer('*}s:*');
    for (const [id, value] of [
      ['a', Buffer.from('not a head')],
      ['b', Buffer.from([1, 0, ...new Array(20).fill(0), 255, 255, 1, 2, 3])],
      ['c', Buffer.from([1, 0, ...new Array(22).fill(0), 1, 2, 3])],
      ['d', Buffer.from([9, 0, ...new Array(60).fill(7)])],
    ] as const) {
      await admin.hset(scopeKey as Buffer, { [id]: value });
    }
    for (const key of await admin.keysBuffer('*}c:*')) await admin.set(key, Buffer.from('no chunk'));
    const two = instance(models.url, await heads());
    const other = instance(models.url, await heads({ secret: 'another secret' }));
    for (const { tell } of [one, two, other]) await tell('foreign', 41);
    expect(one.diagnoses.at(-1)).toMatchObject({ turn: 2, divergence: null });
    expect(other.diagnoses).toMatchObject([{ turn: 1, baseline: null, finding: false }]);
    expect(two.diagnoses).toMatchObject([{ divergence: null, finding: false }]);
    expect([one, two, other].flatMap(({ unreadable }) => unreadable)).toEqual([]);
  });

  it('that dies in the middle of 1000 concurrent calls loses none of them, and no error reaches the host', async () => {
    const connects = [nodeRedis, ioRedis, nodeRedis, ioRedis];
    const stores = await Promise.all(connects.map((connect) => heads({}, connect)));
    const instances = stores.map((store) => instance(models.url, store));
    const of = (index: number) => instances[index % instances.length] as Instance;
    const names = Array.from({ length: 100 }, (_, index) => `conversation ${index}`);
    for (const [index, name] of names.entries()) await of(index).tell(name, 2);

    const arrived = models.requests.length;
    held = new Promise((resolve) => {
      release = resolve;
    });
    const calls: Promise<{ readonly type: string }>[] = [];
    for (let round = 0; round < 10; round += 1) {
      // Half of them ask a server that is there, half one that is not; none has been answered.
      if (round === 5) await server.crash();
      for (const [index, name] of names.entries()) calls.push(of(index + round).send(name, 3));
      await until(() => models.requests.length === arrived + calls.length);
    }
    expect(calls).toHaveLength(1_000);
    release();
    const messages = await Promise.all(calls);
    expect(messages.every(({ type }) => type === 'message')).toBe(true);
    await Promise.all(instances.map(({ flush }) => flush()));
    const diagnoses = instances.flatMap((each) => each.diagnoses);
    expect(diagnoses).toHaveLength(1_100);
    expect(instances.flatMap(({ unreadable }) => unreadable)).toEqual([]);
    // Nothing changed in any of them: whatever was not known, no divergence was made of it.
    expect(diagnoses.filter(({ divergence }) => divergence !== null)).toEqual([]);

    await server.restart();
    await until(() => stores.every(({ isReachable }) => isReachable));
    const before = diagnoses.length;
    for (const name of names.slice(0, 8)) {
      for (const rounds of [4, 5]) await of(rounds).tell(name, rounds);
      await of(2).tell(name, 6, `Other rules for ${name}. `.repeat(300));
    }
    const after = instances.flatMap((each) => each.diagnoses);
    expect(after).toHaveLength(before + 24);
    const changed = after.filter(({ divergence }) => divergence !== null);
    expect(changed).toHaveLength(8);
    expect(changed.every(({ divergence, finding }) => divergence?.component === 'system' && finding)).toBe(
      true,
    );
  }, 300_000);
});

describe.skipIf(NO_CLUSTER)(`a cluster in trouble${CLUSTER_SKIPPED}`, () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    models = await startModelServer({ firstByteDelayMs: 60 });
    cluster = await startCluster();
  }, 60_000);
  afterAll(async () => {
    await cluster.stop();
    await models.close();
  });

  it.each([
    ['redis', nodeRedisCluster],
    ['redis 5', nodeRedisClusterV5],
    ['ioredis', ioRedisCluster],
  ])(
    'that loses the node of a conversation: local heads go on until the node is back (%s)',
    async (_name, connect) => {
      await cluster.flush();
      const connected = [await connect(cluster.url), await connect(cluster.url)];
      const stores = connected.map(({ client }) => redisHeads(client, { secret: SECRET, deadlineMs: 500 }));
      const [one, two] = stores.map((store) => instance(models.url, store)) as [Instance, Instance];
      await one.tell('cluster', 3);
      await two.tell('cluster', 4);
      expect(two.diagnoses).toMatchObject([{ turn: 2, divergence: null, outcome: 'hit' }]);

      const keys = await cluster.keysOfNodes();
      await cluster.crash([...keys.keys()].filter((at) => keys[at] !== 0));
      for (const rounds of [5, 6]) await two.tell('cluster', rounds);
      expect(two.diagnoses.map(({ turn, divergence }) => [turn, divergence])).toEqual(
        [2, 3, 4].map((turn) => [turn, null]),
      );

      await cluster.restart();
      // A call after another, as in production: the first ones may still meet what is left of the outage.
      let rounds = 7;
      while ((await cluster.keysOfNodes()).every((count) => count === 0)) {
        await until(() => stores.every(({ isReachable }) => isReachable));
        await two.tell('cluster', rounds);
        rounds += 1;
      }
      const latest = two.diagnoses.at(-1);
      await one.tell('cluster', rounds);
      expect(one.diagnoses.at(-1)).toMatchObject({
        ...{ turn: (latest?.turn ?? 0) + 1, lineage: latest?.lineage, divergence: null, outcome: 'hit' },
      });
      for (const { close } of connected) close();
    },
    60_000,
  );
});
