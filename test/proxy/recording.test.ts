import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, constants, createGunzip, createGzip, deflateSync, gzipSync } from 'node:zlib';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/diagnose.ts';
import type { DiagnosedCall } from '../../src/diagnosis.ts';
import { type ModelServer, startModelServer } from '../../src/model-server/index.ts';
import { createRecorder } from '../../src/observe/recorder.ts';
import { MAX_HELD_BYTES } from '../../src/proxy/body-copy.ts';
import { type ReverseProxy, startProxy } from '../../src/proxy/proxy.ts';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';
import { ANTHROPIC_USAGE, anthropicEvents, anthropicMessage } from '../support/model-replies.ts';
import { ask, PATIENT, type ProxyFixture, proxyTo } from './proxy-fixture.ts';

const MESSAGE = { model: 'claude-sonnet-5', max_tokens: 9, messages: [{ role: 'user', content: 'hello ✓' }] };
const BODY = Buffer.from(JSON.stringify(MESSAGE));
const ANSWER = JSON.stringify(anthropicMessage([{ type: 'text', text: 'hi' }]));

describe('what is recorded of a call that passes', () => {
  let fixture: ProxyFixture;
  afterEach(() => fixture.close());

  const post = (headers: Record<string, string> = {}, body: Uint8Array = BODY) =>
    ask(`${fixture.proxy.url}/v1/messages?beta=true`, { method: 'POST', headers }, body);

  const answering = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
    proxyTo(async (incoming, response) => {
      await text(incoming);
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
    });

  it('is the body as sent, the endpoint behind the proxy, and the usage as reported', async () => {
    fixture = await answering(ANSWER);
    await post();
    const [call] = await fixture.recorded.ended(1);
    expect(call?.request).toMatchObject({
      api: 'anthropic.messages',
      body: BODY.toString(),
      endpoint: fixture.targetUrl.host,
      scope: {},
    });
    expect(call?.response).toMatchObject({
      ending: 'completed',
      status: 200,
      id: 'msg_1',
      usage: ANTHROPIC_USAGE,
    });
  });

  it('has the scope of the proxy, completed and overridden by the headers of the request', async () => {
    fixture = await proxyTo((_, response) => response.end(ANSWER), {
      scope: { thread: 'run', phase: 'worker' },
    });
    await post({ 'x-prefixtrace-phase': 'planner', 'x-prefixtrace-delegation': 'sub 1' });
    await fixture.recorded.ended(1);
    expect(fixture.recorded.started[0]?.scope).toEqual({
      thread: 'run',
      phase: 'planner',
      delegation: 'sub 1',
    });
  });

  it('keeps the headers that say who is calling', async () => {
    fixture = await answering(ANSWER);
    await post({ 'x-claude-code-session-id': 'session-7' });
    await fixture.recorded.ended(1);
    expect(fixture.recorded.started[0]?.headers).toEqual({ 'x-claude-code-session-id': 'session-7' });
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('is read where both bodies are packed with %s', async (encoding, pack) => {
    fixture = await answering(pack(ANSWER), { 'content-encoding': encoding });
    await post({ 'content-encoding': encoding }, pack(BODY));
    const [call] = await fixture.recorded.ended(1);
    expect(call?.request.body).toBe(BODY.toString());
    expect(call?.response).toMatchObject({ ending: 'completed', usage: ANTHROPIC_USAGE });
  });

  it('has the usage of a packed stream that the client leaves right after its last event', async () => {
    fixture = await proxyTo((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      const packer = createGzip({ flush: constants.Z_SYNC_FLUSH });
      packer.pipe(response);
      for (const { name, data } of anthropicEvents(['a', 'b']))
        packer.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    });
    const sent = request(`${fixture.proxy.url}/v1/messages`, { method: 'POST' });
    sent.on('response', (response) => {
      let received = '';
      response.on('error', () => undefined);
      response.pipe(createGunzip()).on('data', (piece) => {
        received += piece;
        if (received.includes('event: message_stop')) response.destroy();
      });
    });
    sent.end(BODY);
    const [call] = await fixture.recorded.ended(1);
    expect(call?.response).toMatchObject({ ending: 'completed', usage: { output_tokens: 3 } });
  });

  it('ends without usage where an answer says that it is packed and is not', async () => {
    fixture = await answering(ANSWER, { 'content-encoding': 'gzip' });
    expect((await post()).body.toString()).toBe(ANSWER);
    const [call] = await fixture.recorded.ended(1);
    expect(call?.response).toMatchObject({ ending: 'completed', status: 200 });
    expect(call?.response.usage).toBeUndefined();
  });

  it('counts as unread what is packed in an unknown way or too large, and passes it on', async () => {
    let receivedBytes = 0;
    fixture = await proxyTo((incoming, response) => {
      incoming.on('data', (chunk) => {
        receivedBytes += chunk.length;
      });
      incoming.on('end', () => response.end(ANSWER));
    });
    const large = Buffer.alloc(MAX_HELD_BYTES + 1, ' ');
    await post({}, large);
    expect(receivedBytes).toBe(large.length);
    await post({ 'content-encoding': 'zstd' });
    await expect.poll(() => fixture.proxy.unread.calls, PATIENT).toBe(2);
    expect(fixture.recorded.opened).toEqual([]);
  });

  it('is nothing where the request is no model call', async () => {
    fixture = await answering('{}');
    await ask(`${fixture.proxy.url}/v1/messages/count_tokens`, { method: 'POST' }, BODY);
    await ask(`${fixture.proxy.url}/v1/models`);
    await post({}, Buffer.from('{}'));
    await post();
    await fixture.recorded.ended(1);
    expect(fixture.recorded.opened.length).toBe(1);
    expect(fixture.proxy.unread.calls).toBe(0);
  });

  it.each([
    ['failed', 'the target refuses', { status: 400, error: { type: 'invalid_request_error' } }],
    ['failed', 'the target breaks off', { status: 200 }],
    ['canceled', 'the client leaves', { status: 200 }],
  ])('is %s where %s', async (ending, what, facts) => {
    fixture = await proxyTo(async (incoming, response) => {
      await text(incoming);
      if (what === 'the target refuses') {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end('{"type":"error","error":{"type":"invalid_request_error","message":"no"}}');
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: ping\ndata: {}\n\n', () => {
        if (what === 'the target breaks off') response.destroy();
      });
    });
    const sent = request(`${fixture.proxy.url}/v1/messages`, { method: 'POST' });
    sent.on('response', (response) => {
      response.on('error', () => undefined).resume();
      if (what === 'the client leaves') response.once('data', () => response.destroy());
    });
    sent.end(BODY);
    const [call] = await fixture.recorded.ended(1);
    expect(call?.response).toMatchObject({ ending, ...facts });
  });

  it('is canceled where the client leaves before there is an answer', async () => {
    let hasArrived = false;
    fixture = await proxyTo(() => {
      hasArrived = true;
    });
    const sent = request(`${fixture.proxy.url}/v1/messages`, { method: 'POST' });
    sent.on('error', () => undefined).end(BODY);
    await expect.poll(() => hasArrived, PATIENT).toBe(true);
    sent.destroy();
    const [call] = await fixture.recorded.ended(1);
    expect(call?.response).toMatchObject({ ending: 'canceled' });
  });
});

const SYSTEM = 'You plan weddings with great care and never forget the cake. '.repeat(120);

describe('real clients through the proxy', () => {
  let server: ModelServer;
  let proxy: ReverseProxy;
  let directory: string;
  let calls: DiagnosedCall[];
  let flush: () => Promise<void>;

  beforeEach(async () => {
    server = await startModelServer();
    directory = await mkdtemp(join(tmpdir(), 'prefixtrace-test-'));
    calls = [];
    const sink = createTelemetrySink({ store: { directory } });
    const recorder = createRecorder({
      engine: createEngine(),
      sink: {
        ...{ flush: () => sink.flush(), shutdown: () => sink.shutdown() },
        open(opened) {
          const openCall = sink.open(opened);
          return {
            end(call, response) {
              if ('diagnosis' in call) calls.push(call);
              openCall.end(call, response);
            },
          };
        },
      },
    });
    flush = () => recorder.shutdown();
    proxy = await startProxy({ targets: [{ prefix: '', url: new URL(server.url) }], recorder });
  });
  afterEach(async () => {
    await proxy.close(AbortSignal.abort());
    await flush();
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });

  /** A conversation of three calls: two that agree, and one whose system prompt has a clock in it. */
  async function talkToAnthropic(baseURL: string, apiKey: string): Promise<unknown[]> {
    const client = new Anthropic({ baseURL, apiKey });
    const ask_ = (clock: string, more: Anthropic.MessageParam[] = []) => ({
      model: 'claude-sonnet-5',
      max_tokens: 50,
      system: [
        { type: 'text' as const, text: `${clock}${SYSTEM}`, cache_control: { type: 'ephemeral' as const } },
      ],
      messages: [{ role: 'user' as const, content: 'Where?' }, ...more],
    });
    const more: Anthropic.MessageParam[] = [
      { role: 'assistant', content: 'By the sea.' },
      { role: 'user', content: 'When?' },
    ];
    const plain = await client.messages.create(ask_('It is 10:00:30. '));
    const events: unknown[] = [];
    for await (const event of await client.messages.create({
      ...ask_('It is 10:00:30. ', more),
      stream: true,
    }))
      events.push(event);
    const final = await client.messages.stream(ask_('It is 10:00:41. ', more)).finalMessage();
    const { data, response } = await client.messages.create(ask_('It is 10:00:41. ', more)).withResponse();
    const failure = await client.messages
      .create({ ...ask_(''), messages: [] })
      .catch((error: unknown) => error);
    return [plain, events, final, data, response.status, String(failure)].map(withoutIds);
  }

  async function talkToOpenAi(baseURL: string, apiKey: string): Promise<unknown[]> {
    const client = new OpenAI({ baseURL, apiKey });
    const messages = [
      { role: 'system' as const, content: SYSTEM },
      { role: 'user' as const, content: 'Where?' },
    ];
    const plain = await client.chat.completions.create({ model: 'gpt-5.5', messages });
    const chunks: unknown[] = [];
    const stream = await client.chat.completions.create({
      ...{ model: 'gpt-5.5', messages, stream: true as const, stream_options: { include_usage: true } },
    });
    for await (const chunk of stream) chunks.push(chunk);
    const response = await client.responses.create({
      model: 'gpt-5.5',
      instructions: SYSTEM,
      input: 'When?',
    });
    return [plain, chunks, response].map(withoutIds);
  }

  it('gives Anthropic’s client what it gets without it, records each call once, and finds the clock', async () => {
    const apiKey = `sk-ant-${randomUUID()}`;
    const direct = await talkToAnthropic(server.url, apiKey);
    server.reset();
    const proxied = await talkToAnthropic(proxy.url, apiKey);
    expect(proxied).toEqual(direct);
    const [directBodies, proxiedBodies] = [0, 1].map((half) =>
      server.requests
        .slice(half * 5, half * 5 + 5)
        .map(({ bodyText, headers }) => [bodyText, compared(headers)]),
    );
    expect(proxiedBodies).toEqual(directBodies);
    await flush();
    expect(calls.length).toBe(5);
    const kinds = calls.map(({ diagnosis }) => diagnosis.divergence?.kind ?? null);
    expect(kinds.slice(0, 4)).toEqual([null, null, 'system.timestamp', null]);
    expect(calls[2]?.diagnosis).toMatchObject({ finding: true, certainty: 'observed' });
    expect(await written(directory)).not.toContain(apiKey);
    expect(await written(directory)).toContain('system.timestamp');
  });

  it('gives OpenAI’s client what it gets without it, and records each call once', async () => {
    const apiKey = `sk-${randomUUID()}`;
    const direct = await talkToOpenAi(`${server.url}/v1`, apiKey);
    server.reset();
    expect(await talkToOpenAi(`${proxy.url}/v1`, apiKey)).toEqual(direct);
    await flush();
    expect(calls.map(({ diagnosis }) => diagnosis.api)).toEqual([
      'openai.chat',
      'openai.chat',
      'openai.responses',
    ]);
    expect(calls.every(({ diagnosis }) => diagnosis.tokens.method === 'usage')).toBe(true);
    expect(await written(directory)).not.toContain(apiKey);
  });
});

/** The server numbers its answers. */
function withoutIds(value: unknown): unknown {
  const text_ = JSON.stringify(value) ?? 'undefined';
  return text_
    .replace(/\b(msg|req|resp|chatcmpl|rs|toolu)[-_]\w+/g, '$1')
    .replace(/"created(_at)?":\d+/g, '');
}

function compared({ host: _, ...headers }: Readonly<Record<string, string>>): Record<string, string> {
  return headers;
}

async function written(directory: string): Promise<string> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.jsonl'));
  return (await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')))).join('');
}
