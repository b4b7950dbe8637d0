/** A proxy in front of a server that a test writes by hand. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type RequestOptions,
  request,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type ProxyOptions, type ReverseProxy, startProxy } from '../../src/proxy/proxy.ts';
import { type RecordedCalls, recordCalls } from '../support/recorded-calls.ts';

/** For `expect.poll`, on a busy machine. */
export const PATIENT = { timeout: 20_000 };

export interface ProxyFixture {
  readonly proxy: ReverseProxy;
  readonly server: Server;
  readonly targetUrl: URL;
  readonly recorded: RecordedCalls;
  close(): Promise<void>;
}

export async function proxyTo(
  listener: RequestListener,
  {
    path = '',
    ...options
  }: Pick<ProxyOptions, 'scope' | 'refuseWebSockets'> & { readonly path?: string } = {},
): Promise<ProxyFixture> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const targetUrl = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  const recorded = recordCalls();
  const proxy = await startProxy({
    targets: [{ prefix: '', url: targetUrl }],
    recorder: recorded.recorder,
    ...options,
  });
  return {
    proxy,
    server,
    targetUrl,
    recorded,
    async close() {
      await proxy.close(AbortSignal.abort());
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface Answer {
  readonly status: number | undefined;
  readonly statusMessage: string | undefined;
  readonly headers: readonly string[];
  readonly trailers: readonly string[];
  readonly body: Buffer;
}

/** One request by Node's own client, which hides nothing. */
export async function ask(url: string, options: RequestOptions = {}, body?: Uint8Array): Promise<Answer> {
  const sent = request(url, options);
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const received = await buffer(response);
  const { statusCode, statusMessage, rawHeaders, rawTrailers } = response;
  return { status: statusCode, statusMessage, headers: rawHeaders, trailers: rawTrailers, body: received };
}
