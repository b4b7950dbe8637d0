/**
 * A loopback HTTP server that answers from a script, in order, and keeps what it was sent byte for byte.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one by one, each flushed in its own turn. */
  readonly chunks: readonly string[];
  /** What comes after the last chunk. `hang` never ends the response, `destroy` cuts the connection. @default 'end' */
  readonly afterwards?: 'end' | 'hang' | 'destroy';
}

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values as sent, in order, without the address of the server. */
  readonly headers: readonly string[];
  readonly body: string;
}

export interface ScriptedServer {
  readonly url: string;
  readonly received: ReceivedRequest[];
  /** Starts a new script and forgets what was received. The last reply repeats. */
  script(replies: readonly ScriptedReply[]): void;
  close(): Promise<void>;
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  const received: ReceivedRequest[] = [];
  let replies: readonly ScriptedReply[] = [];
  let repliesGiven = 0;

  const server = createServer(async (request, response) => {
    received.push(await receive(request));
    const reply = replies[Math.min(repliesGiven, replies.length - 1)];
    repliesGiven++;
    if (reply === undefined) response.writeHead(501).end();
    else await answer(response, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    received,
    script(next) {
      replies = next;
      repliesGiven = 0;
      received.length = 0;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function receive(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers: string[] = [];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at] ?? '';
    if (name.toLowerCase() !== 'host') headers.push(`${name}: ${request.rawHeaders[at + 1]}`);
  }
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

async function answer(response: ServerResponse, reply: ScriptedReply): Promise<void> {
  response.writeHead(reply.status ?? 200, reply.headers ?? { 'content-type': 'application/json' });
  for (const chunk of reply.chunks) {
    if (response.destroyed) return;
    response.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (reply.afterwards === 'hang') return;
  if (reply.afterwards === 'destroy') response.destroy();
  else response.end();
}
