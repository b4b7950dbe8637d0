import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { anthropicClient, openAiClient, testServer, until } from './support.ts';

const MESSAGE: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'claude-sonnet-4-6',
  max_tokens: 100,
  system: [{ type: 'text', text: 'word '.repeat(2000), cache_control: { type: 'ephemeral' } }],
  messages: [{ role: 'user', content: 'Hello' }],
};
const CHAT: OpenAI.ChatCompletionCreateParamsNonStreaming = {
  model: 'gpt-5.2',
  messages: [{ role: 'user', content: 'Hello' }],
};

describe('an injected status', () => {
  it.each([
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [529, 'overloaded_error'],
  ])('%d is an error of the Anthropic API', async (status, type) => {
    const server = await testServer();
    server.failNext({ kind: 'status', status, message: 'Not now' });
    await expect(anthropicClient(server).messages.create(MESSAGE)).rejects.toMatchObject({
      status,
      type,
      error: { type: 'error', error: { message: 'Not now' } },
    });
  });

  it('is an error of the OpenAI API there', async () => {
    const server = await testServer();
    server.failNext({ kind: 'status', status: 429, retryAfterSeconds: 3 });
    const failure = await openAiClient(server)
      .chat.completions.create(CHAT)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OpenAI.RateLimitError);
    expect(failure).toMatchObject({ code: 'rate_limit_exceeded' });
    expect((failure as InstanceType<typeof OpenAI.RateLimitError>).headers.get('retry-after')).toBe('3');
  });

  it('lasts for as many requests as said, so that a client that retries gets through', async () => {
    const server = await testServer();
    server.failNext({ kind: 'status', status: 500, retryAfterSeconds: 0.001 }, 2);
    await new Anthropic({ baseURL: server.url, apiKey: 'key', maxRetries: 2 }).messages.create(MESSAGE);
    await server.idle();
    expect(server.requests.map(({ status }) => status)).toEqual([500, 500, 200]);
  });

  it('leaves no trace in the cache', async () => {
    const server = await testServer();
    server.failNext({ kind: 'status', status: 529 });
    await anthropicClient(server)
      .messages.create(MESSAGE)
      .catch(() => undefined);
    expect((await anthropicClient(server).messages.create(MESSAGE)).usage.cache_read_input_tokens).toBe(0);
  });
});

describe('a dropped connection', () => {
  it('breaks a stream after so many chunks, when the cache is written already', async () => {
    const server = await testServer();
    server.failNext({ kind: 'drop', afterChunks: 3 });
    const types: string[] = [];
    const read = async () => {
      const stream = await anthropicClient(server).messages.create({ ...MESSAGE, stream: true });
      for await (const event of stream) types.push(event.type);
    };
    await expect(read()).rejects.toThrow();
    await server.idle();
    expect(types).toEqual(['message_start', 'content_block_start']);
    expect(server.requests[0]).toMatchObject({ ending: 'dropped', chunksWritten: 3 });
    expect(
      (await anthropicClient(server).messages.create(MESSAGE)).usage.cache_read_input_tokens,
    ).toBeGreaterThan(0);
  });

  it('before the first byte writes nothing to the cache', async () => {
    const server = await testServer();
    server.failNext({ kind: 'drop', afterChunks: 0 });
    await expect(anthropicClient(server).messages.create(MESSAGE)).rejects.toBeInstanceOf(
      Anthropic.APIConnectionError,
    );
    expect((await anthropicClient(server).messages.create(MESSAGE)).usage.cache_read_input_tokens).toBe(0);
    expect(server.requests[0]).toMatchObject({ ending: 'dropped', chunksWritten: 0 });
  });

  it('breaks a JSON answer in its middle', async () => {
    const server = await testServer();
    server.failNext({ kind: 'drop', afterChunks: 1 });
    await expect(openAiClient(server).chat.completions.create(CHAT)).rejects.toThrow();
    await server.idle();
    expect(server.requests[0]?.ending).toBe('dropped');
  });
});

describe('an error inside a stream', () => {
  it("reaches each SDK as the provider's error", async () => {
    const server = await testServer();
    server.failNext({ kind: 'error-event', afterChunks: 2, message: 'Busy' }, 3);
    await expect(anthropicClient(server).messages.stream(MESSAGE).finalMessage()).rejects.toMatchObject({
      type: 'overloaded_error',
    });
    await expect(
      openAiClient(server)
        .chat.completions.stream({ ...CHAT, stream: true })
        .finalChatCompletion(),
    ).rejects.toThrow('Busy');
    const read = async () => {
      const stream = await openAiClient(server).responses.create({
        model: 'gpt-5.2',
        input: 'Hello',
        stream: true,
      });
      for await (const _event of stream);
    };
    await expect(read()).rejects.toThrow('Busy');
  });
});

describe('a stream without end', () => {
  it('goes on until the client leaves, and the record says when', async () => {
    const server = await testServer();
    for (const open of [
      () => anthropicClient(server).messages.create({ ...MESSAGE, stream: true }),
      () => openAiClient(server).chat.completions.create({ ...CHAT, stream: true }),
      () => openAiClient(server).responses.create({ model: 'gpt-5.2', input: 'Hello', stream: true }),
    ]) {
      server.failNext({ kind: 'endless' });
      let seen = 0;
      for await (const _event of (await open()) as AsyncIterable<unknown>) if (++seen === 50) break;
    }
    await server.idle();
    for (const record of server.requests) {
      expect(record.ending).toBe('disconnected');
      expect(record.chunksWritten).toBeGreaterThanOrEqual(50);
      expect(record.endedAtMs).toBeGreaterThanOrEqual(record.firstByteAtMs ?? Number.POSITIVE_INFINITY);
    }
  });

  it('stops writing while the client does not read', async () => {
    const server = await testServer();
    server.failNext({ kind: 'endless' });
    const leave = new AbortController();
    await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ ...CHAT, stream: true }),
      signal: leave.signal,
    });
    // Socket buffers take a few megabytes at most; then the count stands still.
    let last = -1;
    let stable = 0;
    while (stable < 5) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const [record] = server.requests;
      stable = record?.chunksWritten === last ? stable + 1 : 0;
      last = record?.chunksWritten ?? -1;
    }
    expect(last).toBeGreaterThan(50);
    leave.abort();
    await server.idle();
    expect(server.requests[0]?.ending).toBe('disconnected');
  });
});

it('notices a client that leaves before the first byte, and writes nothing to the cache for it', async () => {
  const server = await testServer({ firstByteDelayMs: 60_000 });
  const leave = new AbortController();
  const call = anthropicClient(server).messages.create(MESSAGE, { signal: leave.signal });
  await until(() => server.requests[0]?.cache !== undefined);
  leave.abort();
  await expect(call).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
  await server.idle();
  expect(server.requests[0]).toMatchObject({ ending: 'disconnected', chunksWritten: 0 });
  expect(server.requests[0]?.firstByteAtMs).toBeUndefined();
});

it('closes with a request still open', async () => {
  const server = await testServer();
  server.failNext({ kind: 'endless' });
  const call = anthropicClient(server).messages.create(MESSAGE);
  const failed = expect(call).rejects.toBeInstanceOf(Anthropic.APIConnectionError);
  await until(() => server.requests[0]?.cache !== undefined);
  await server.close();
  await failed;
});
