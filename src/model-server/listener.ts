/**
 * A loopback port that speaks HTTP/1.1 and HTTP/2 without TLS, told apart by the first bytes of a connection: the AWS SDK
 * opens HTTP/2 at once, all others HTTP/1.1.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';

export interface Listener {
  readonly port: number;
  /** Breaks open connections and frees the port. */
  close(): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Every HTTP/2 connection begins with `PRI * HTTP/2.0`, and no method of HTTP/1.1 does. */
const HTTP2_START = 'PRI ';

export async function listen(port: number, handler: Handler): Promise<Listener> {
  const http1 = createServer(handler);
  // The compatible API of HTTP/2: what is used of a request and a response is the same in both.
  const http2 = createHttp2Server(handler as unknown as Parameters<typeof createHttp2Server>[0]);
  const sockets = new Set<Socket>();

  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client that leaves before it said anything.
    socket.on('error', () => undefined);
    socket.once('data', (start) => {
      socket.pause();
      socket.unshift(start);
      const isHttp2 = start.toString('latin1', 0, HTTP2_START.length) === HTTP2_START;
      (isHttp2 ? http2 : http1).emit('connection', socket);
      if (!isHttp2) socket.resume();
    });
  });
  // Loopback only: prompts do not leave the machine.
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port, // a TCP server that listens has one
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
