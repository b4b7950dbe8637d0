/** A server on both loopback addresses of this machine, under one port, and on no other. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cannotListen } from '../../port.ts';

export interface LoopbackServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface LoopbackOptions {
  /** 0 is any free one. */
  readonly port: number;
  readonly onRequest: RequestListener;
  /** Bytes that are no HTTP/1.1. */
  readonly onForeign: (error: NodeJS.ErrnoException) => void;
}

/** Exporters send every few seconds over one connection; a server that closes it between breaks the next export. */
const IDLE_CONNECTION_MS = 10 * 60_000;
const REQUEST_TIMEOUT_MS = 60_000;

export async function listenOnLoopback({
  port,
  onRequest,
  onForeign,
}: LoopbackOptions): Promise<LoopbackServer> {
  const listen = async (host: string, atPort: number): Promise<Server> => {
    const server = createServer(
      { keepAliveTimeout: IDLE_CONNECTION_MS, requestTimeout: REQUEST_TIMEOUT_MS },
      onRequest,
    );
    server.on('clientError', (error, socket) => {
      onForeign(error);
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
      else socket.destroy();
    });
    server.listen({ port: atPort, host, ipv6Only: true });
    await once(server, 'listening');
    return server;
  };
  const servers: Server[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(
      servers.map((server) => {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        return closed;
      }),
    );
  };
  try {
    const server = await listen('127.0.0.1', port);
    servers.push(server);
    const taken = (server.address() as AddressInfo).port; // a TCP server that listens has one
    // `localhost` may mean either. Without IPv6 there is only the one.
    const second = await listen('::1', taken).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' && port !== 0) throw error;
      return undefined;
    });
    if (second) servers.push(second);
    return { port: taken, close };
  } catch (error) {
    await close();
    throw cannotListen(port, error);
  }
}
