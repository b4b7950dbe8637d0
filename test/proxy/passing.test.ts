import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, PATIENT, type ProxyFixture, proxyTo } from './proxy-fixture.ts';

let fixture: ProxyFixture;
afterEach(() => fixture.close());

const CONNECTION = new Set(['connection', 'keep-alive', 'date']);

/** Without what is about one connection, or the clock. */
function lasting(headers: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (!CONNECTION.has((headers[at] ?? '').toLowerCase())) kept.push(`${headers[at]}: ${headers[at + 1]}`);
  }
  return kept;
}

describe('what passes through the proxy', () => {
  it.each([0, 1, 65_537, 3_000_000])('is the same %i bytes both ways', async (size) => {
    const sent = randomBytes(size);
    const answered = randomBytes(size);
    let received: Buffer | undefined;
    fixture = await proxyTo(async (incoming, response) => {
      received = await buffer(incoming);
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(answered);
    });
    const { body } = await ask(`${fixture.proxy.url}/v1/files`, { method: 'POST' }, sent);
    expect(received?.equals(sent)).toBe(true);
    expect(body.equals(answered)).toBe(true);
  });

  it('stays compressed, with its length', async () => {
    const packed = gzipSync(JSON.stringify({ usage: { input_tokens: 1 } }));
    fixture = await proxyTo((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length }).end(packed);
    });
    const { body, headers } = await ask(fixture.proxy.url);
    expect(body.equals(packed)).toBe(true);
    expect(lasting(headers)).toEqual(['content-encoding: gzip', `content-length: ${packed.length}`]);
  });

  it('has the same status, reason, headers and trailers as without it', async () => {
    fixture = await proxyTo((_, response) => {
      response.writeHead(418, 'I am a Teapot', [
        ...['X-Case', 'Kept', 'set-cookie', 'a=1', 'set-cookie', 'b=2'],
        ...['Trailer', 'X-Sum', 'Transfer-Encoding', 'chunked'],
      ]);
      response.write('short');
      response.addTrailers([['X-Sum', '42']]);
      response.end();
    });
    const direct = await ask(fixture.targetUrl.href);
    const proxied = await ask(fixture.proxy.url);
    expect({ ...proxied, headers: lasting(proxied.headers) }).toEqual({
      ...direct,
      headers: lasting(direct.headers),
    });
    expect(proxied.trailers).toEqual(['X-Sum', '42']);
  });

  it.each([200, 204, 301, 304, 400, 401, 404, 413, 429, 500, 503, 529])('keeps status %i', async (status) => {
    fixture = await proxyTo((_, response) => {
      response.writeHead(status, { location: 'https://elsewhere.test/', 'retry-after': '7' }).end();
    });
    const answer = await ask(fixture.proxy.url);
    expect(answer.status).toBe(status);
    expect(lasting(answer.headers)).toContain('location: https://elsewhere.test/');
  });

  it('keeps path, query, method, order and spelling of headers, and names the target as host', async () => {
    let seen: unknown;
    fixture = await proxyTo(
      async (incoming, response) => {
        seen = [incoming.method, incoming.url, lasting(incoming.rawHeaders), await text(incoming)];
        response.end();
      },
      { path: '/base/' },
    );
    const headers = [
      'X-One',
      '1',
      'Host',
      'proxy',
      'authorization',
      'Bearer k',
      'X-One',
      '2',
      'Content-Length',
      '2',
    ];
    const path = '/v1/a%2Fb/../c//d?x=%20&x=%C3%A9&y';
    await ask(fixture.proxy.url, { method: 'PATCH', path, headers }, Buffer.from('hi'));
    expect(seen).toEqual([
      'PATCH',
      `/base${path}`,
      [
        `Host: ${fixture.targetUrl.host}`,
        'X-One: 1',
        'authorization: Bearer k',
        'X-One: 2',
        'Content-Length: 2',
      ],
      'hi',
    ]);
  });

  it('leaves out the headers of the connection, those that it names, and our own', async () => {
    let seen: string[] = [];
    fixture = await proxyTo((incoming, response) => {
      seen = lasting(incoming.rawHeaders);
      response.setHeader('proxy-connection', 'keep-alive').end();
    });
    const { headers } = await ask(fixture.proxy.url, {
      headers: {
        connection: 'close, X-Hop',
        'x-hop': '1',
        te: 'trailers',
        'proxy-connection': 'close',
        'x-prefixtrace-thread': 'wedding',
        'X-Prefixtrace-Phase': 'planner',
        'x-prefixtrace-delegation': 'd',
        'x-prefixtrace-other': 'kept',
      },
    });
    expect(seen).toEqual([`Host: ${fixture.targetUrl.host}`, 'x-prefixtrace-other: kept']);
    expect(lasting(headers)).toEqual(['Content-Length: 0']);
  });

  it('adds no body to a POST that has none', async () => {
    let seen: string[] = [];
    fixture = await proxyTo((incoming, response) => {
      seen = lasting(incoming.rawHeaders);
      response.end();
    });
    const client = connect(Number(new URL(fixture.proxy.url).port), '127.0.0.1');
    client.write('POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(await text(client)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(seen).toEqual([`Host: ${fixture.targetUrl.host}`, 'Content-Length: 0']);
  });

  it('answers HEAD with the length and without a body', async () => {
    fixture = await proxyTo((_, response) => {
      response.writeHead(200, { 'content-length': '1234' }).end();
    });
    const { headers, body } = await ask(fixture.proxy.url, { method: 'HEAD' });
    expect([lasting(headers), body.length]).toEqual([['content-length: 1234'], 0]);
  });

  it('lets a client that asks first wait for the answer of the target', async () => {
    let isAsked = false;
    fixture = await proxyTo((_, response) => response.end('unasked'));
    fixture.server.on('checkContinue', async (incoming, response) => {
      isAsked = true;
      response.writeContinue();
      response.end(await text(incoming));
    });
    const sent = request(fixture.proxy.url, {
      method: 'POST',
      headers: { expect: '100-continue', 'content-length': '5' },
    });
    sent.flushHeaders();
    await once(sent, 'continue');
    expect(isAsked).toBe(true);
    sent.end('later');
    const [response] = await once(sent, 'response');
    expect(await text(response)).toBe('later');
  });

  it('passes early hints on', async () => {
    fixture = await proxyTo((_, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.end();
    });
    const sent = request(fixture.proxy.url).end();
    const [[information], [response]] = await Promise.all([
      once(sent, 'information'),
      once(sent, 'response'),
    ]);
    expect([information.statusCode, information.headers.link]).toEqual([103, '</style.css>; rel=preload']);
    await buffer(response);
  });

  it('serves a client of HTTP/1.0 with a body that ends with the connection', async () => {
    fixture = await proxyTo((_, response) => {
      response.write('in ');
      response.end('pieces');
    });
    const client = connect(Number(new URL(fixture.proxy.url).port), '127.0.0.1');
    client.write('GET / HTTP/1.0\r\n\r\n');
    const answer = await text(client);
    expect(answer).toMatch(/\r\n\r\nin pieces$/);
    expect(answer).not.toMatch(/transfer-encoding/i);
  });

  it('says so in a word where the target cannot be reached, and refuses what is no path', async () => {
    fixture = await proxyTo((_, response) => response.end());
    fixture.server.close();
    const { status, body } = await ask(fixture.proxy.url);
    expect([status, body.toString()]).toEqual([
      502,
      `prefixtrace: cannot reach ${fixture.targetUrl.origin}: ECONNREFUSED\n`,
    ]);
    expect((await ask(fixture.proxy.url, { path: 'http://example.test/' })).status).toBe(404);
  });
});

describe('a connection that changes its protocol', () => {
  it('goes to and fro unread once both sides agree', async () => {
    fixture = await proxyTo((_, response) => response.end());
    fixture.server.on('upgrade', (incoming, socket) => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Path: ${incoming.url}\r\n\r\nhello `,
      );
      socket.pipe(socket);
    });
    const sent = request(fixture.proxy.url, {
      path: '/v1/responses',
      headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'k' },
    }).end();
    const [response, socket, head] = await once(sent, 'upgrade');
    expect([response.statusCode, response.headers['x-path']]).toEqual([101, '/v1/responses']);
    let echoed = head.toString();
    socket.on('data', (chunk: Buffer) => {
      echoed += chunk;
    });
    socket.write('world');
    await expect.poll(() => echoed, PATIENT).toBe('hello world');
    expect(fixture.proxy.unread.webSockets).toBe(1);
    socket.destroy();
  });

  it('hears the refusal of the target', async () => {
    fixture = await proxyTo((_, response) => response.end());
    fixture.server.on('upgrade', (_, socket) => {
      socket.end('HTTP/1.1 426 Upgrade Required\r\nContent-Length: 2\r\n\r\nno');
    });
    const answer = await ask(fixture.proxy.url, { headers: { connection: 'Upgrade', upgrade: 'websocket' } });
    expect([answer.status, answer.body.toString()]).toEqual([426, 'no']);
  });

  it('is refused where WebSockets are to be, so that the client speaks HTTP', async () => {
    fixture = await proxyTo((_, response) => response.end(), { refuseWebSockets: true });
    fixture.server.on('upgrade', (_, socket) => socket.destroy());
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    expect((await ask(fixture.proxy.url, { headers })).status).toBe(426);
  });

  it('is a plain request where only HTTP/2 is offered', async () => {
    fixture = await proxyTo(async (incoming, response) => {
      response.end(`${incoming.method} ${incoming.url} ${incoming.headers.upgrade} ${await text(incoming)}`);
    });
    const { body } = await ask(
      `${fixture.proxy.url}/v1/x`,
      {
        method: 'POST',
        headers: {
          connection: 'Upgrade, HTTP2-Settings',
          upgrade: 'h2c',
          'http2-settings': 'AAM',
          'content-length': 4,
        },
      },
      Buffer.from('body'),
    );
    expect(body.toString()).toBe('POST /v1/x undefined body');
  });
});
