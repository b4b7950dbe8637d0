/**
 * A connection that changes its protocol (WebSocket): once both sides agree, bytes go to and fro unread.
 */
import type { Agent, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { send } from './forward.ts';
import { type FlatHeaders, pairsOf, passedRequestHeaders, passedResponseHeaders } from './passed-headers.ts';
import type { Upstream } from './target.ts';

/** Calls `onOpen` when the target has agreed. */
export function forwardUpgrade(
  request: IncomingMessage,
  client: Duplex,
  firstBytes: Buffer,
  upstream: Upstream,
  agent: Agent,
  onOpen: () => void,
): void {
  const headers: FlatHeaders = [
    ...passedRequestHeaders(request, upstream.url.host),
    ...['Connection', 'Upgrade', 'Upgrade', request.headers.upgrade ?? ''],
  ];
  const onward = send(request, upstream, agent, undefined, headers);
  const giveUp = (): void => {
    onward.destroy();
    client.destroy();
  };
  client.on('error', giveUp);
  client.on('close', giveUp);
  onward.on('error', giveUp);
  onward.on('upgrade', (answer, target, targetBytes) => {
    onOpen();
    client.write(headOf(answer, answer.rawHeaders));
    if (targetBytes.length > 0) client.write(targetBytes);
    if (firstBytes.length > 0) target.write(firstBytes);
    join(client, target);
  });
  // The target says no, in plain HTTP.
  onward.on('response', (answer) => {
    client.write(headOf(answer, [...passedResponseHeaders(answer, false), 'Connection', 'close']));
    answer.on('error', giveUp);
    answer.pipe(client);
  });
  onward.end();
}

/**
 * Node hands over every request that offers another protocol. One that has to do with HTTP/2 (Java's client offers it on each)
 * goes on as the plain request that it also is: it is given back without the offer.
 */
export function withoutUpgrade(request: IncomingMessage, firstBytes: Buffer): Buffer {
  const { method, url, httpVersion, rawHeaders } = request;
  const kept = [...pairsOf(rawHeaders)].filter(
    ([name]) => !['upgrade', 'connection', 'http2-settings'].includes(name.toLowerCase()),
  );
  const lines = kept.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([
    Buffer.from(`${method} ${url} HTTP/${httpVersion}\r\n${lines}\r\n`, 'latin1'),
    firstBytes,
  ]);
}

function join(client: Duplex, target: Duplex): void {
  const end = (): void => {
    client.destroy();
    target.destroy();
  };
  for (const side of [client, target]) side.on('error', end).on('close', end);
  client.pipe(target).pipe(client);
}

function headOf({ statusCode, statusMessage }: IncomingMessage, headers: FlatHeaders): string {
  const lines = [...pairsOf(headers)].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines}\r\n`;
}
