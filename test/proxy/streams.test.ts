import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { PATIENT, type ProxyFixture, proxyTo } from './proxy-fixture.ts';

let fixture: ProxyFixture;
afterEach(() => fixture.close());

const MEGABYTE = 1024 * 1024;

/** Writes until the connection takes no more, and again each time it does; answers with the bytes that it took. */
function pour(response: ServerResponse, totalBytes: number): { readonly writtenBytes: () => number } {
  let writtenBytes = 0;
  const piece = Buffer.alloc(64 * 1024, 'x');
  const write = (): void => {
    while (writtenBytes < totalBytes) {
      writtenBytes += piece.length;
      if (!response.write(piece)) return;
    }
    response.end();
  };
  response.on('drain', write);
  write();
  return { writtenBytes: () => writtenBytes };
}

async function responseOf(url: string): Promise<IncomingMessage> {
  const [response] = await once(request(url).end(), 'response');
  return response;
}

/** The figure once it has stopped moving. */
async function atRest(figure: () => number): Promise<number> {
  for (let before = -1; ; ) {
    const now = figure();
    if (now === before) return now;
    before = now;
    await sleep(150);
  }
}

describe('a stream through the proxy', () => {
  it('shows head and first piece before the target has written the next', async () => {
    let answer: ServerResponse | undefined;
    fixture = await proxyTo((_, response) => {
      answer = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    });
    const response = await responseOf(fixture.proxy.url);
    for (const piece of ['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']) {
      answer?.write(piece);
      const [chunk] = await once(response, 'data');
      expect(chunk.toString()).toBe(piece);
    }
    answer?.end();
    await once(response, 'end');
  });

  it('shows the target the first piece of a request before the client has written the next', async () => {
    const pieces: string[] = [];
    fixture = await proxyTo(async (incoming, response) => {
      incoming.on('data', (chunk) => pieces.push(chunk.toString()));
      incoming.on('end', () => response.end());
    });
    const sent = request(fixture.proxy.url, { method: 'POST' });
    sent.write('one');
    await expect.poll(() => pieces, PATIENT).toEqual(['one']);
    sent.end('two');
    const [response] = await once(sent, 'response');
    await buffer(response);
    expect(pieces).toEqual(['one', 'two']);
  });

  it('is not drained ahead of a client that reads slowly', async () => {
    const total = 200 * MEGABYTE;
    let poured = () => 0;
    fixture = await proxyTo((_, response) => {
      poured = pour(response, total).writtenBytes;
    });
    const response = await responseOf(fixture.proxy.url);
    response.pause();
    // What fills are the buffers of two connections; without backpressure all of it would be held.
    expect(await atRest(poured)).toBeLessThan(30 * MEGABYTE);
    let readBytes = 0;
    for await (const chunk of response) readBytes += chunk.length;
    expect(readBytes).toBe(total);
  });

  it('is not taken from a client faster than the target reads it', async () => {
    const total = 200 * MEGABYTE;
    let incoming: IncomingMessage | undefined;
    fixture = await proxyTo((request_, response) => {
      incoming = request_.pause();
      incoming.on('end', () => response.end());
    });
    const sent = request(fixture.proxy.url, { method: 'POST' });
    const { writtenBytes } = pour(sent as unknown as ServerResponse, total); // both write alike
    expect(await atRest(writtenBytes)).toBeLessThan(30 * MEGABYTE);
    let readBytes = 0;
    incoming?.on('data', (chunk) => {
      readBytes += chunk.length;
    });
    incoming?.resume();
    const [response] = await once(sent, 'response');
    await buffer(response);
    expect(readBytes).toBe(total);
  });

  it('tells the target when the client leaves', async () => {
    let answer: ServerResponse | undefined;
    fixture = await proxyTo((_, response) => {
      answer = response;
      response.write('first');
    });
    const response = await responseOf(fixture.proxy.url);
    await once(response, 'data');
    const closed = once(answer as ServerResponse, 'close'); // the request has arrived
    response.destroy();
    await closed;
    expect(answer?.writableFinished).toBe(false);
  });

  it('tells the target when the client leaves before there is an answer', async () => {
    let hasArrived = false;
    let hasLeft = false;
    fixture = await proxyTo((_, response) => {
      hasArrived = true;
      response.on('close', () => {
        hasLeft = true;
      });
    });
    const sent = request(fixture.proxy.url).end();
    sent.on('error', () => undefined);
    await expect.poll(() => hasArrived, PATIENT).toBe(true);
    sent.destroy();
    await expect.poll(() => hasLeft, PATIENT).toBe(true);
  });

  it('breaks off, after all that was sent, where the target breaks off', async () => {
    fixture = await proxyTo((_, response) => {
      response.write('a'.repeat(100_000), () => response.destroy());
    });
    const response = await responseOf(fixture.proxy.url);
    let readBytes = 0;
    response.on('data', (chunk) => {
      readBytes += chunk.length;
    });
    const [error] = await once(response, 'error');
    expect([error.code, response.complete, readBytes]).toEqual(['ECONNRESET', false, 100_000]);
  });

  it('breaks off where the target closes before it has answered', async () => {
    fixture = await proxyTo((incoming) => incoming.socket.destroy());
    const [error] = await once(request(fixture.proxy.url).end(), 'error');
    expect(error.code).toBe('ECONNRESET');
  });

  it('tells the target when the client breaks off in the middle of its request', async () => {
    let outcome: Promise<string> | undefined;
    fixture = await proxyTo((incoming) => {
      outcome = buffer(incoming).then(
        () => 'whole',
        () => 'broken off',
      );
    });
    const client = connect(Number(new URL(fixture.proxy.url).port), '127.0.0.1');
    client.write('POST /v1/messages HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"model"');
    await expect.poll(() => outcome !== undefined, PATIENT).toBe(true);
    client.destroy();
    expect(await outcome).toBe('broken off');
    expect(fixture.recorded.opened).toEqual([]);
  });

  it('shows an answer that comes before the end of the request', async () => {
    fixture = await proxyTo((incoming, response) => {
      incoming.once('data', () => {
        response.writeHead(413, { connection: 'close' }).end('too large');
      });
    });
    const sent = request(fixture.proxy.url, { method: 'POST' });
    sent.on('error', () => undefined);
    sent.write('x'.repeat(1000));
    const [response] = await once(sent, 'response');
    expect([response.statusCode, (await buffer(response)).toString()]).toEqual([413, 'too large']);
  });

  it('waits for a first byte that takes longer than an idle connection is kept', async () => {
    fixture = await proxyTo(async (_, response) => {
      await sleep(5_000);
      response.end('late');
    });
    expect((await buffer(await responseOf(fixture.proxy.url))).toString()).toBe('late');
  });

  it('holds 200 of them at once', async () => {
    const answers: ServerResponse[] = [];
    fixture = await proxyTo((_, response) => {
      response.write(`${answers.push(response)};`);
    });
    const responses = await Promise.all(Array.from({ length: 200 }, () => responseOf(fixture.proxy.url)));
    expect(answers.length).toBe(200);
    const bodies = Promise.all(responses.map(async (response) => (await buffer(response)).toString()));
    for (const [index, answer] of answers.entries()) answer.end(`end of ${index + 1}`);
    const expected = answers.map((_, index) => `${index + 1};end of ${index + 1}`);
    expect((await bodies).sort()).toEqual(expected.sort());
  });
});

describe('closing the proxy', () => {
  it('takes no more, and lets what is running come to its end', async () => {
    let answer: ServerResponse | undefined;
    fixture = await proxyTo((_, response) => {
      answer = response;
      response.write('first ');
    });
    const response = await responseOf(fixture.proxy.url);
    const body = buffer(response);
    const closed = fixture.proxy.close(new AbortController().signal);
    const [error] = await once(request(fixture.proxy.url, { agent: false }).end(), 'error');
    expect(error.code).toBe('ECONNREFUSED');
    answer?.end('last');
    expect((await body).toString()).toBe('first last');
    await closed;
  });

  it('breaks off what is running when it is told to', async () => {
    fixture = await proxyTo((_, response) => {
      response.write('first ');
    });
    const response = await responseOf(fixture.proxy.url);
    const failed = once(response.resume(), 'error');
    const patience = new AbortController();
    const closed = fixture.proxy.close(patience.signal);
    patience.abort();
    await closed;
    expect((await failed)[0].code).toBe('ECONNRESET');
  });
});
