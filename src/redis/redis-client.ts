/**
 * The two clients that people have, as far as they are used: one command with binary answers. They are told apart by what
 * they offer and never imported.
 */

type Argument = string | Buffer;

/** `redis` 5 and 6: a client, a pool, or a cluster. */
interface NodeRedisClient {
  sendCommand(...args: never[]): Promise<unknown>;
  readonly isReady?: boolean;
}

/** `ioredis`, a cluster of it included. */
interface IoRedisClient {
  callBuffer(command: string, args: Argument[]): Promise<unknown>;
  readonly status: string;
}

export type RedisClientLike = NodeRedisClient | IoRedisClient;

export interface Commands {
  /** False where a command would wait for a connection instead of failing. */
  readonly isReady: boolean;
  /** `key` tells a cluster where to go. */
  send(key: Buffer, args: readonly Argument[]): Promise<unknown>;
}

/** `$` and `+` of the protocol: what the server sends as strings is given out as bytes. */
const AS_BYTES = { typeMapping: { 36: Buffer, 43: String } };

export function commandsOf(client: RedisClientLike): Commands {
  if (isIoRedis(client)) {
    return {
      get isReady() {
        return client.status === 'ready';
      },
      send: (_key, [command, ...args]) => client.callBuffer(String(command), args),
    };
  }
  if (!isNodeRedis(client)) {
    throw new TypeError('redisHeads: the client must be one of `redis` 5 or later, or of `ioredis`');
  }
  const send = client.sendCommand.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const isCluster = 'masters' in client;
  return {
    get isReady() {
      return client.isReady !== false;
    },
    send: (key, args) => (isCluster ? send(key, false, args, AS_BYTES) : send(args, AS_BYTES)),
  };
}

function isIoRedis(client: unknown): client is IoRedisClient {
  return typeof (client as IoRedisClient | null)?.callBuffer === 'function';
}

function isNodeRedis(client: unknown): client is NodeRedisClient {
  return typeof (client as NodeRedisClient | null)?.sendCommand === 'function';
}
