/** A cluster of three real servers without replicas, each with a third of the slots. */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort, killed, spawnServer } from './redis-server.ts';

export interface TestCluster {
  /** Of one of its nodes. */
  readonly url: string;
  /** How many keys lie on each node. */
  keysOfNodes(): Promise<readonly number[]>;
  flush(): Promise<void>;
  /** The nodes of these places are gone without a word, until `restart`. */
  crash(places: readonly number[]): Promise<void>;
  /** They come up again on the same ports, empty; resolves when the cluster is whole. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface Node {
  readonly port: number;
  /** By which nodes talk to each other. */
  readonly busPort: number;
  child: ChildProcess;
  readonly admin: Redis;
  readonly directory: string;
}

/** First and last slot of each node. */
const SLOTS = [
  [0, 5_460],
  [5_461, 10_922],
  [10_923, 16_383],
] as const;

export async function startCluster(): Promise<TestCluster> {
  const nodes: Node[] = [];
  for (const [at, [first, last]] of SLOTS.entries()) {
    const node = await startNode();
    nodes.push(node);
    // Nodes that come together with the same epoch would have to settle it first.
    await node.admin.call('CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1));
    await node.admin.call('CLUSTER', 'ADDSLOTSRANGE', String(first), String(last));
  }
  const [one, ...others] = nodes as [Node, ...Node[]];
  for (const { port, busPort } of others) {
    await one.admin.call('CLUSTER', 'MEET', '127.0.0.1', String(port), String(busPort));
  }
  await whole(nodes);
  return {
    url: `redis://127.0.0.1:${one.port}`,
    keysOfNodes: () => Promise.all(nodes.map(({ admin }) => admin.dbsize())),
    async flush() {
      await Promise.all(nodes.map(({ admin }) => admin.flushall()));
    },
    async crash(places) {
      for (const at of places) await killed((nodes[at] as Node).child);
    },
    async restart() {
      for (const node of nodes) {
        if (node.child.signalCode !== null) node.child = await spawnNode(node);
      }
      await whole(nodes);
    },
    async stop() {
      for (const { admin, child, directory } of nodes) {
        admin.disconnect();
        await killed(child);
        rmSync(directory, { recursive: true, force: true });
      }
    },
  };
}

async function startNode(): Promise<Node> {
  const [port, busPort] = [await freePort(), await freePort()];
  const directory = mkdtempSync(join(tmpdir(), 'prefixtrace-redis-'));
  const child = await spawnNode({ port, busPort, directory });
  const admin = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 });
  admin.on('error', () => {});
  return { port, busPort, child, admin, directory };
}

function spawnNode({ port, busPort, directory }: Pick<Node, 'port' | 'busPort' | 'directory'>) {
  const options = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)];
  return spawnServer(port, directory, [...options, '--cluster-node-timeout', '2000']);
}

async function whole(nodes: readonly Node[]): Promise<void> {
  for (const { admin } of nodes) {
    while (!(await isWhole(admin))) await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function isWhole(admin: Redis): Promise<boolean> {
  const info = String(await admin.call('CLUSTER', 'INFO'));
  return info.includes('cluster_state:ok') && info.includes('cluster_size:3');
}
