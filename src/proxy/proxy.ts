/**
 * A reverse proxy on loopback that records the model calls which pass through it: for Claude Code, for Codex, for a program
 * in any language that lets its base URL be set.
 */
import { once } from 'node:events';
import { createServer, Agent as HttpAgent, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Scope } from '../exchange.ts';
import type { Recorder } from '../observe/recorder.ts';
import { forward, MAX_HEADER_BYTES, refuse } from './forward.ts';
import { type ProxyTarget, type Upstream, upstreamOf } from './target.ts';
import { forwardUpgrade, withoutUpgrade } from './upgrade.ts';

export interface ProxyOptions {
  readonly targets: readonly ProxyTarget[];
  readonly recorder: Recorder;
  /** Of all calls that pass; what a request says in its headers wins. */
  readonly scope?: Scope | undefined;
  /** @default 0: any free port */
  readonly port?: number | undefined;
  /** Codex and others speak HTTP then, which can be read; a client that insists on a WebSocket fails. @default false */
  readonly refuseWebSockets?: boolean | undefined;
}

/** What passed and was not read. */
interface UnreadTraffic {
  /** Calls to a model whose body was too large or packed in an unknown way. */
  calls: number;
  webSockets: number;
}

export interface ReverseProxy {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly unread: Readonly<UnreadTraffic>;
  /** Requests that have not come to their end. */
  readonly running: number;
  /** Takes no more, lets what is running come to its end, and breaks it off when `signal` aborts. */
  close(signal: AbortSignal): Promise<void>;
}

/** No longer than undici keeps them, as a server may close an idle connection just when the next request goes out. */
const IDLE_CONNECTION_MS = 4_000;
/** Servers keep connections for clients longer than that; ours must not be the one that closes first. */
const IDLE_CLIENT_MS = 10 * 60_000;

export async function startProxy(options: ProxyOptions): Promise<ReverseProxy> {
  const { targets, recorder, scope = {} } = options;
  const agents = {
    'http:': new HttpAgent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
    'https:': new HttpsAgent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
  };
  const agentFor = ({ url }: Upstream) => agents[url.protocol === 'https:' ? 'https:' : 'http:'];
  const unread: UnreadTraffic = { calls: 0, webSockets: 0 };
  const observation = {
    recorder,
    scope,
    onUnreadCall() {
      unread.calls += 1;
    },
  };
  const running = new Set<Promise<void>>();
  const webSockets = new Set<Duplex>();

  // How long a request may take is between the client and the target.
  const server = createServer({
    ...{ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: IDLE_CLIENT_MS },
    ...{ requestTimeout: 0, headersTimeout: 0 },
  });
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const upstream = upstreamOf(targets, request.url ?? '');
    if (upstream === undefined) {
      refuse(response, 404, `nothing stands behind the path ${request.url}`);
      return;
    }
    const run = forward(request, response, upstream, agentFor(upstream), observation).finally(() =>
      running.delete(run),
    );
    running.add(run);
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, onRequest);
  server.on('upgrade', (request: IncomingMessage, client: Duplex, firstBytes: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      client.unshift(withoutUpgrade(request, firstBytes));
      server.emit('connection', client);
      return;
    }
    const upstream = upstreamOf(targets, request.url ?? '');
    if (upstream === undefined || options.refuseWebSockets) {
      const status = upstream === undefined ? '404 Not Found' : '426 Upgrade Required';
      client.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      return;
    }
    webSockets.add(client);
    client.on('close', () => webSockets.delete(client));
    forwardUpgrade(request, client, firstBytes, upstream, agentFor(upstream), () => {
      unread.webSockets += 1;
    });
  });

  // Loopback only: whoever reaches the proxy sends with its own key, and prompts are nobody else's business.
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one

  return {
    url: `http://127.0.0.1:${port}`,
    unread,
    get running() {
      return running.size;
    },
    async close(signal) {
      const closed = once(server, 'close');
      server.close();
      const breakOff = (): void => {
        server.closeAllConnections();
        for (const client of webSockets) client.destroy();
      };
      if (signal.aborted) breakOff();
      signal.addEventListener('abort', breakOff, { once: true });
      while (running.size > 0) await Promise.all(running);
      breakOff();
      for (const agent of Object.values(agents)) agent.destroy();
      await closed;
      // The ends of what was read last are handed on in promises.
      await nextTurn();
    },
  };
}
