/** A real `redis-server` for one test file, on a free port and in a directory of its own. Nothing is written to disk. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why tests of this folder are skipped, as a part of their names; empty where they run. */
const asked = spawnSync('redis-server', ['--version'], { encoding: 'utf8' });
const hasServer = asked.status === 0;
export const NO_SERVER = !hasServer;
export const SKIPPED = hasServer ? '' : ' (skipped: no redis-server on this machine)';

/** As above, of a cluster. */
export const NO_CLUSTER = Number(/v=(\d+)/.exec(asked.stdout ?? '')?.[1] ?? 0) < 7;
export const CLUSTER_SKIPPED = NO_CLUSTER ? SKIPPED || ' (skipped: redis-server is older than 7)' : '';

export interface TestServer {
  readonly port: number;
  readonly url: string;
  /** For good. */
  stop(): Promise<void>;
  /** Gone without a word, until `restart`. */
  crash(): Promise<void>;
  /** Stops answering without closing connections. */
  freeze(): void;
  thaw(): void;
  /** Comes up again on the same port, empty. */
  restart(): Promise<void>;
}

export async function startRedis(): Promise<TestServer> {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'prefixtrace-redis-'));
  let child = await spawnServer(port, directory);
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      await killed(child);
      rmSync(directory, { recursive: true, force: true });
    },
    crash: () => killed(child),
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    async restart() {
      await killed(child);
      child = await spawnServer(port, directory);
    },
  };
}

/** `more`: further options. */
export async function spawnServer(
  port: number,
  directory: string,
  more: readonly string[] = [],
): Promise<ChildProcess> {
  const args = [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory],
    ...['--save', '', '--appendonly', 'no', ...more],
  ];
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return child;
}

export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    const say = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => say(true));
    socket.once('error', () => say(false));
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
