/** The receiver as an HTTP server: right answers to right and wrong requests, and none that takes it down. */
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { deflateSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MODEL_CALL, promptAttributes, tracesData } from '../support/genai-span-json.ts';
import { decode } from '../support/otlp-protobuf.ts';
import { type ReadReceiver, startReadReceiver } from './received-source.ts';

let receiver: ReadReceiver;
beforeAll(async () => {
  receiver = await startReadReceiver();
});
afterAll(() => receiver.end());

const JSON_TYPE = { 'content-type': 'application/json' };
const PROTOBUF_TYPE = { 'content-type': 'application/x-protobuf' };
/** `ExportTraceServiceRequest` with one span that has a name alone. */
const SMALL_PROTOBUF = Buffer.from('0a0712051203 2a0161'.replaceAll(' ', ''), 'hex');
const STATUS = { 1: ['code', 'integer'], 2: ['message', 'text'] } as const;
const oneCall = (spanId: string) =>
  Buffer.from(
    JSON.stringify(tracesData([{ spanId, attributes: { ...MODEL_CALL, ...promptAttributes('10:00') } }])),
  );

describe('a right request', () => {
  it.each([
    ['application/x-protobuf', SMALL_PROTOBUF, ''],
    ['application/x-protobuf', Buffer.alloc(0), ''],
    ['application/json', Buffer.from('{}'), '{}'],
    ['application/json; charset=utf-8', Buffer.from('{"resourceSpans":[]}'), '{}'],
  ])('in %s is answered with an empty message in the same form', async (contentType, body, answer) => {
    for (const path of ['/v1/traces', '/v1/metrics', '/v1/logs']) {
      const response = await receiver.post(path, {
        headers: { 'content-type': contentType },
        body: new Uint8Array(body),
      });
      expect([response.status, await response.text()]).toEqual([200, answer]);
      expect(response.headers.get('content-type')).toBe(contentType.split(';')[0]);
    }
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['identity', (bytes: Buffer) => bytes],
  ])('packed with %s brings its calls', async (encoding, pack) => {
    const own = await startReadReceiver();
    const body = new Uint8Array(pack(oneCall('a000000000000001')));
    const headers = { ...JSON_TYPE, 'content-encoding': encoding };
    expect((await own.post('/v1/traces', { headers, body })).status).toBe(200);
    expect(await own.end()).toHaveLength(1);
  });

  it('leaves the connection open for the next one', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = async () => {
      const sent = httpRequest(`${receiver.source.url}/v1/traces`, {
        agent,
        method: 'POST',
        headers: JSON_TYPE,
      });
      sent.end('{}');
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
      return sent.reusedSocket;
    };
    expect([await send(), await send()]).toEqual([false, true]);
    agent.destroy();
  });
});

describe('a wrong request', () => {
  const limit = 64 * 1024 * 1024;
  it.each<[string, string, string, Record<string, string>, Buffer | undefined, number]>([
    ['of another method', 'GET', '/v1/traces', {}, undefined, 405],
    ['for another path', 'POST', '/', JSON_TYPE, Buffer.from('{}'), 404],
    [
      'of another content type',
      'POST',
      '/v1/traces',
      { 'content-type': 'text/plain' },
      Buffer.from('{}'),
      415,
    ],
    ['of no content type', 'POST', '/v1/logs', {}, Buffer.from('{}'), 415],
    [
      'packed otherwise',
      'POST',
      '/v1/traces',
      { ...JSON_TYPE, 'content-encoding': 'br' },
      Buffer.from('{}'),
      415,
    ],
    [
      'packed badly',
      'POST',
      '/v1/traces',
      { ...JSON_TYPE, 'content-encoding': 'gzip' },
      Buffer.from('{}'),
      400,
    ],
    ['that is no JSON', 'POST', '/v1/traces', JSON_TYPE, Buffer.from('{"resourceSpans":['), 400],
    ['that is JSON of another kind', 'POST', '/v1/traces', JSON_TYPE, Buffer.from('[]'), 400],
    ['that is no protobuf', 'POST', '/v1/traces', PROTOBUF_TYPE, Buffer.from('It was a dark night'), 400],
    ['cut short', 'POST', '/v1/traces', PROTOBUF_TYPE, SMALL_PROTOBUF.subarray(0, -1), 400],
    ['nested without end', 'POST', '/v1/traces', JSON_TYPE, Buffer.from(nested(50_000)), 400],
    ['larger than is held', 'POST', '/v1/traces', PROTOBUF_TYPE, Buffer.alloc(limit + 1), 413],
    [
      'larger than is held once unpacked',
      ...(['POST', '/v1/traces', { ...PROTOBUF_TYPE, 'content-encoding': 'gzip' }] as const),
      ...([gzipSync(Buffer.alloc(limit + 1)), 413] as const),
    ],
    [
      'of millions of empty messages',
      'POST',
      '/v1/traces',
      PROTOBUF_TYPE,
      Buffer.alloc(5_000_000, '\n\0'),
      413,
    ],
    ['of millions of empty objects', 'POST', '/v1/traces', JSON_TYPE, Buffer.alloc(9_000_000, '{},'), 413],
    [
      'of a page in a browser',
      'POST',
      '/v1/traces',
      { ...JSON_TYPE, origin: 'https://evil.example' },
      Buffer.from('{}'),
      403,
    ],
  ])('%s is refused with a status that says why', async (_what, method, path, headers, body, status) => {
    // Node's own client: `fetch` does not send an origin that it is given.
    const sent = httpRequest(receiver.source.url + path, { method, headers });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const answer = Buffer.concat(await response.toArray());
    expect(response.statusCode).toBe(status);
    const isProtobuf = response.headers['content-type'] === 'application/x-protobuf';
    expect(isProtobuf).toBe(headers['content-type'] === PROTOBUF_TYPE['content-type']);
    const { code, message } = isProtobuf ? decode(answer, STATUS) : JSON.parse(answer.toString());
    expect([typeof code, typeof message]).toEqual(['number', 'string']);
    expect(receiver.source.notes.skippedLines.count).toBeGreaterThan(0);
    expect((await receiver.postJson({})).status).toBe(200);
  });

  it('in gRPC is told to whoever wonders why nothing comes', async () => {
    const own = await startReadReceiver();
    const session = connectHttp2(own.source.url);
    session.on('error', () => undefined);
    const stream = session.request({ ':method': 'POST', ':path': '/x' });
    await new Promise((resolve) => stream.on('error', resolve).end());
    expect(own.source.notes.skippedLines.first[0]?.reason).toContain(
      'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
    );
    await own.end();
  });

  it('that breaks off leaves nothing behind', async () => {
    const { port } = new URL(receiver.source.url);
    for (const encoding of ['gzip', 'identity']) {
      const socket = connect(Number(port), '127.0.0.1');
      await once(socket, 'connect');
      socket.write(
        `POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Encoding: ${encoding}\r\nContent-Length: 100\r\n\r\n{`,
      );
      socket.destroy();
    }
    expect((await receiver.postJson({})).status).toBe(200);
  });
});

function nested(depth: number): string {
  const open = '{"arrayValue":{"values":['.repeat(depth);
  const value = `${open}${']}}'.repeat(depth)}`;
  const span = `{"traceId":"aa","spanId":"bb","attributes":[{"key":"k","value":${value}}]}`;
  return `{"resourceSpans":[{"scopeSpans":[{"spans":[${span}]}]}]}`;
}

describe('hostile bytes', () => {
  const answers = async (body: Uint8Array, contentType: string) => {
    const response = await receiver.post('/v1/traces', {
      headers: { 'content-type': contentType },
      body: Buffer.from(body),
    });
    return response.status;
  };

  it('of any kind are answered and never end the server', async () => {
    const types = fc.constantFrom('application/x-protobuf', 'application/json');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), types, async (bytes, type) => {
        expect([200, 400]).toContain(await answers(bytes, type));
      }),
      { numRuns: 300 },
    );
  });

  it('that were once a right body, with some of them changed, are answered as well', async () => {
    const right = oneCall('a000000000000001').subarray(0, 1500);
    const change = fc.tuple(fc.nat({ max: right.length - 1 }), fc.integer({ min: 0, max: 255 }));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 20 }), async (changes) => {
        const body = Buffer.from(right);
        for (const [at, byte] of changes) body[at] = byte;
        expect([200, 400]).toContain(await answers(body, 'application/json'));
      }),
      { numRuns: 100 },
    );
  });
});

describe('the address', () => {
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === '::1'),
  );
  const canConnect = (host: string) =>
    new Promise<boolean>((resolve) => {
      const socket = connect(Number(new URL(receiver.source.url).port), host);
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });

  it.skipIf(outside === undefined)(
    'is none that another machine reaches (skipped without a network)',
    async () => {
      expect(await canConnect(outside ?? '')).toBe(false);
    },
  );

  it.skipIf(!hasIpv6)('is the loopback one of IPv6 as well (skipped without IPv6)', async () => {
    expect(await canConnect('::1')).toBe(true);
  });
});
