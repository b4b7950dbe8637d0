/** Other clients than most tests use: an older one, a pool, a prefix of the application's own, and clusters. */
import { Cluster, Redis } from 'ioredis';
import { createClientPool, createCluster } from 'redis';
import { createClient as createClientV5, createCluster as createClusterV5 } from 'redis-v5';
import type { TestClient } from './clients.ts';

const QUICKLY = { socket: { reconnectStrategy: 50 } };

export async function nodeRedisV5(url: string): Promise<TestClient> {
  const client = createClientV5({ url, ...QUICKLY });
  client.on('error', () => {});
  await client.connect();
  return { client, close: () => client.destroy() };
}

export async function nodeRedisPool(url: string): Promise<TestClient> {
  const client = createClientPool({ url, ...QUICKLY });
  client.on('error', () => {});
  await client.connect();
  return { client, close: () => client.destroy() };
}

export async function ioRedisWithPrefix(url: string): Promise<TestClient> {
  const client = new Redis(url, { lazyConnect: true, keyPrefix: 'application:' });
  client.on('error', () => {});
  await client.connect();
  return { client, close: () => client.disconnect() };
}

/** Of a cluster any node's address will do. */
export async function nodeRedisCluster(url: string): Promise<TestClient> {
  const client = createCluster({ rootNodes: [{ url }], defaults: QUICKLY });
  client.on('error', () => {});
  await client.connect();
  return { client, close: () => client.destroy() };
}

export async function nodeRedisClusterV5(url: string): Promise<TestClient> {
  const client = createClusterV5({ rootNodes: [{ url }], defaults: QUICKLY });
  client.on('error', () => {});
  await client.connect();
  return { client, close: () => client.destroy() };
}

export async function ioRedisCluster(url: string): Promise<TestClient> {
  const client = new Cluster([url], { lazyConnect: true, clusterRetryStrategy: () => 50 });
  client.on('error', () => {});
  await client.connect();
  return { client, close: () => client.disconnect() };
}
