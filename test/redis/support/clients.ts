/** The clients that people have, connected to one server. */
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import type { RedisClientLike } from '../../../src/redis/index.ts';

export interface TestClient {
  readonly client: RedisClientLike;
  close(): void;
}

export async function nodeRedis(url: string): Promise<TestClient> {
  const client = createClient({ url, socket: { reconnectStrategy: 50 } });
  client.on('error', () => {});
  await client.connect();
  return { client, close: () => client.destroy() };
}

export async function ioRedis(url: string): Promise<TestClient> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => 50 });
  client.on('error', () => {});
  await client.connect();
  return { client, close: () => client.disconnect() };
}
