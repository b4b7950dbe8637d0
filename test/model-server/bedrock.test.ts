import {
  BedrockRuntimeClient,
  type ContentBlock,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelServer } from '../../src/model-server/index.ts';
import { testServer, textOfTokens } from './support.ts';

const MODEL = 'us.anthropic.claude-sonnet-4-6-20260115-v1:0';
const SYSTEM = textOfTokens(2000);

/** Over HTTP/2, which the SDK takes by itself. */
function bedrockClient(server: ModelServer, accessKeyId = 'AKID1'): BedrockRuntimeClient {
  const client = new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: server.url,
    credentials: { accessKeyId, secretAccessKey: 'secret' },
    maxAttempts: 1,
  });
  onTestFinished(() => client.destroy());
  return client;
}

function input(text = 'Hello', extra: Partial<ConverseCommandInput> = {}): ConverseCommandInput {
  return {
    modelId: MODEL,
    system: [{ text: SYSTEM }, { cachePoint: { type: 'default' } }],
    messages: [{ role: 'user', content: [{ text }] }],
    ...extra,
  };
}

function anthropicBody(extra: object = {}): string {
  return JSON.stringify({
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 100,
    system: [{ type: 'text', text: SYSTEM, cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: 'Hello' }],
    ...extra,
  });
}

const REPLY = {
  thinking: 'The user wants a file read.',
  text: 'Reading the file, 🙂 one moment.',
  toolCalls: [{ id: 'tooluse_1', name: 'read_file', input: { path: 'a.ts' } }],
};

describe('Converse', () => {
  it('is read by the SDK, plain and streamed, with the same content and usage', async () => {
    const server = await testServer({ reply: () => REPLY });
    const plain = await bedrockClient(server).send(new ConverseCommand(input()));
    expect(plain.output?.message?.content).toEqual([
      { reasoningContent: { reasoningText: { text: REPLY.thinking, signature: expect.any(String) } } },
      { text: REPLY.text },
      { toolUse: { toolUseId: 'tooluse_1', name: 'read_file', input: { path: 'a.ts' } } },
    ]);
    expect(plain.stopReason).toBe('tool_use');
    expect(plain.$metadata.requestId).toMatch(/^req_/);

    server.reset();
    const { stream } = await bedrockClient(server).send(new ConverseStreamCommand(input()));
    const texts = ['', '', ''];
    let stopReason: string | undefined;
    let usage: unknown;
    for await (const { contentBlockDelta, messageStop, metadata } of stream ?? []) {
      const { contentBlockIndex = 0, delta } = contentBlockDelta ?? {};
      texts[contentBlockIndex] += delta?.text ?? delta?.toolUse?.input ?? delta?.reasoningContent?.text ?? '';
      stopReason ??= messageStop?.stopReason;
      usage ??= metadata?.usage;
    }
    expect(texts).toEqual([REPLY.thinking, REPLY.text, '{"path":"a.ts"}']);
    expect(stopReason).toBe('tool_use');
    expect(usage).toEqual(plain.usage);
  });

  it('writes at a cache point and reads there, with usage that excludes the cache and a total that does not', async () => {
    const server = await testServer();
    const client = bedrockClient(server);
    const { usage: first } = await client.send(new ConverseCommand(input('one')));
    const { usage: second } = await client.send(new ConverseCommand(input('two')));
    const written = first?.cacheWriteInputTokens ?? 0;
    expect(written).toBeGreaterThanOrEqual(2000);
    expect(first).toMatchObject({
      cacheReadInputTokens: 0,
      cacheDetails: [{ ttl: '5m', inputTokens: written }],
    });
    expect(second).toMatchObject({
      cacheReadInputTokens: written,
      cacheWriteInputTokens: 0,
      cacheDetails: [],
    });
    expect(second?.inputTokens).toBeLessThan(20);
    expect(second?.totalTokens).toBe(
      (second?.inputTokens ?? 0) + written + (second?.outputTokens ?? Number.NaN),
    );
  });

  it('forgets after five minutes without use, or an hour where the cache point says so', async () => {
    const server = await testServer();
    const client = bedrockClient(server);
    const hour = { system: [{ text: SYSTEM }, { cachePoint: { type: 'default', ttl: '1h' } as const }] };
    const readAfter = async (minutes: number, extra: Partial<ConverseCommandInput> = {}) => {
      server.reset();
      await client.send(new ConverseCommand(input('one', extra)));
      server.advance(minutes * 60_000);
      const { usage } = await client.send(new ConverseCommand(input('two', extra)));
      return usage?.cacheReadInputTokens;
    };
    expect(await readAfter(4.9)).toBeGreaterThan(0);
    expect(await readAfter(5.1)).toBe(0);
    expect(await readAfter(59, hour)).toBeGreaterThan(0);
    expect(await readAfter(61, hour)).toBe(0);
  });

  it('caches tools before system before messages: a changed tool loses all', async () => {
    const server = await testServer();
    const client = bedrockClient(server);
    const withTool = (description: string) =>
      input('Hello', {
        toolConfig: {
          tools: [{ toolSpec: { name: 'a', description, inputSchema: { json: { type: 'object' } } } }],
        },
      });
    await client.send(new ConverseCommand(withTool('first')));
    const same = await client.send(new ConverseCommand(withTool('first')));
    const other = await client.send(new ConverseCommand(withTool('second')));
    expect(same.usage?.cacheReadInputTokens).toBeGreaterThan(0);
    expect(other.usage?.cacheReadInputTokens).toBe(0);
  });

  it('asks Opus 4.7 for 4,096 tokens, where Anthropic asks for 2,048', async () => {
    const server = await testServer();
    const client = bedrockClient(server);
    const written = async (tokens: number) => {
      const system: ConverseCommandInput['system'] = [
        { text: textOfTokens(tokens) },
        { cachePoint: { type: 'default' } },
      ];
      const modelId = 'us.anthropic.claude-opus-4-7-v1:0';
      const { usage } = await client.send(new ConverseCommand(input('Hello', { modelId, system })));
      return usage?.cacheWriteInputTokens;
    };
    expect(await written(3000)).toBe(0);
    expect(await written(4200)).toBeGreaterThan(4096);
  });

  it('keeps accounts apart by access key, though every signature differs', async () => {
    const server = await testServer();
    await bedrockClient(server, 'AKID1').send(new ConverseCommand(input()));
    const same = await bedrockClient(server, 'AKID1').send(new ConverseCommand(input()));
    const other = await bedrockClient(server, 'AKID2').send(new ConverseCommand(input()));
    expect(same.usage?.cacheReadInputTokens).toBeGreaterThan(0);
    expect(other.usage?.cacheReadInputTokens).toBe(0);
  });

  it('rejects five cache points, and an hour after five minutes', async () => {
    const server = await testServer();
    const client = bedrockClient(server);
    const point = (ttl?: '5m' | '1h'): ContentBlock => ({
      cachePoint: { type: 'default', ...(ttl && { ttl }) },
    });
    const content = (points: readonly ContentBlock[]) => ({
      system: [],
      messages: [{ role: 'user' as const, content: points.flatMap((each) => [{ text: 'part' }, each]) }],
    });
    for (const points of [Array.from({ length: 5 }, () => point()), [point('5m'), point('1h')]]) {
      await expect(client.send(new ConverseCommand(input('', content(points))))).rejects.toMatchObject({
        name: 'ValidationException',
        $metadata: { httpStatusCode: 400 },
      });
    }
  });
});

describe('InvokeModel with the body of an Anthropic model', () => {
  it("answers in Anthropic's words, with Anthropic's cache", async () => {
    const server = await testServer({ reply: () => ({ text: 'Good day.' }) });
    const client = bedrockClient(server);
    const call = async () => {
      const { body } = await client.send(new InvokeModelCommand({ modelId: MODEL, body: anthropicBody() }));
      return JSON.parse(body.transformToString());
    };
    const first = await call();
    const second = await call();
    expect(first).toMatchObject({ model: 'claude-sonnet-4-6-20260115', content: [{ text: 'Good day.' }] });
    expect(first.usage.cache_creation_input_tokens).toBeGreaterThan(1900);
    expect(second.usage.cache_read_input_tokens).toBe(first.usage.cache_creation_input_tokens);
    expect(server.requests[0]?.api).toBe('anthropic.messages');
  });

  it("streams Anthropic's events, each in a chunk", async () => {
    const server = await testServer();
    const { body } = await bedrockClient(server).send(
      new InvokeModelWithResponseStreamCommand({ modelId: MODEL, body: anthropicBody() }),
    );
    const types: string[] = [];
    for await (const { chunk } of body ?? [])
      types.push(JSON.parse(Buffer.from(chunk?.bytes ?? []).toString()).type);
    expect(types[0]).toBe('message_start');
    expect(types.at(-1)).toBe('message_stop');
  });

  it.each([{ anthropic_version: undefined }, { model: 'claude' }, { cache_control: { type: 'ephemeral' } }])(
    'rejects %j',
    async (extra) => {
      const server = await testServer();
      const command = new InvokeModelCommand({ modelId: MODEL, body: anthropicBody(extra) });
      await expect(bedrockClient(server).send(command)).rejects.toMatchObject({
        name: 'ValidationException',
      });
    },
  );
});

describe('faults', () => {
  it.each([
    [400, 'ValidationException'],
    [403, 'AccessDeniedException'],
    [404, 'ResourceNotFoundException'],
    [429, 'ThrottlingException'],
    [500, 'InternalServerException'],
    [503, 'ServiceUnavailableException'],
  ])('status %d is the exception that the SDK knows', async (status, name) => {
    const server = await testServer();
    server.failNext({ kind: 'status', status, message: 'Not now' });
    await expect(bedrockClient(server).send(new ConverseCommand(input()))).rejects.toMatchObject({
      name,
      message: 'Not now',
    });
  });

  const readAll = async (client: BedrockRuntimeClient): Promise<void> => {
    const { stream } = await client.send(new ConverseStreamCommand(input()));
    for await (const _ of stream ?? []);
  };

  it('an error inside a stream is an exception, whose checksums hold', async () => {
    const server = await testServer();
    server.failNext({ kind: 'error-event', afterChunks: 2, message: 'Busy' });
    await expect(readAll(bedrockClient(server))).rejects.toMatchObject({
      name: 'ServiceUnavailableException',
      message: 'Busy',
    });
  });

  it('a dropped connection breaks the stream', async () => {
    const server = await testServer();
    server.failNext({ kind: 'drop', afterChunks: 2 });
    await expect(readAll(bedrockClient(server))).rejects.toThrow('INTERNAL_ERROR');
    await server.idle();
    expect(server.requests[0]).toMatchObject({ ending: 'dropped', chunksWritten: 2 });
  });

  it('an endless stream goes on until the client leaves', async () => {
    const server = await testServer();
    server.failNext({ kind: 'endless' });
    const leave = new AbortController();
    const { stream } = await bedrockClient(server).send(new ConverseStreamCommand(input()), {
      abortSignal: leave.signal,
    });
    let count = 0;
    for await (const _ of stream ?? []) {
      count++;
      // The SDK would keep a stream open that its reader has only left.
      if (count === 50) leave.abort();
    }
    expect(count).toBeGreaterThanOrEqual(50);
    await server.idle();
    expect(server.requests[0]?.ending).toBe('disconnected');
  });
});

it('speaks HTTP/1.1 to a client that asks for it, on the same port', async () => {
  const server = await testServer();
  const client = new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: server.url,
    credentials: { accessKeyId: 'AKID1', secretAccessKey: 'secret' },
    requestHandler: new NodeHttpHandler(),
  });
  onTestFinished(() => client.destroy());
  await client.send(new ConverseCommand(input()));
  await bedrockClient(server).send(new ConverseCommand(input()));
  const versions = server.requests.map(({ headers }) => (':authority' in headers ? 2 : 1));
  expect(versions).toEqual([1, 2]);
});

it('closes while a client of HTTP/2 is connected', async () => {
  const server = await testServer();
  await bedrockClient(server).send(new ConverseCommand(input()));
  await server.close();
  await expect(fetch(server.url)).rejects.toThrow();
});
