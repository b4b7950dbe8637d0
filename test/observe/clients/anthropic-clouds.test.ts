import { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
import { AnthropicFoundry } from '@anthropic-ai/foundry-sdk';
import type Anthropic from '@anthropic-ai/sdk';
import { AnthropicVertex } from '@anthropic-ai/vertex-sdk';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { type ModelServer, startModelServer } from '../../../src/model-server/index.ts';
import { observeClient } from '../../../src/observe/observe-client.ts';
import { collect } from '../../support/attempts.ts';
import {
  nextTurn,
  type RecordedCall,
  type RecordedCalls,
  recordCalls,
} from '../../support/recorded-calls.ts';

/** What the three clients have in common with Anthropic's own. */
interface CloudClient {
  readonly messages: Pick<Anthropic.Messages, 'create' | 'stream'>;
}

interface Cloud {
  readonly name: string;
  readonly ClientClass: new (...args: never[]) => object;
  newClient(url: string): CloudClient;
  readonly model: string;
  /** Of the record, where the path names the model. */
  readonly recordedModel: string | undefined;
  readonly answeredModel: string;
  readonly path: RegExp;
  readonly streamType: string;
  readonly secrets: readonly string[];
}

const CLOUDS: readonly Cloud[] = [
  {
    name: '@anthropic-ai/bedrock-sdk',
    ClientClass: AnthropicBedrock,
    newClient: (baseURL) =>
      new AnthropicBedrock({
        baseURL,
        awsAccessKey: 'AKIDEXAMPLE',
        awsSecretKey: 'secret-of-the-test',
        awsRegion: 'us-east-1',
        maxRetries: 0,
      }) as unknown as CloudClient,
    model: 'us.anthropic.claude-sonnet-4-6-20260115-v1:0',
    answeredModel: 'claude-sonnet-4-6-20260115',
    recordedModel: 'us.anthropic.claude-sonnet-4-6-20260115-v1:0',
    path: /^\/model\/us\.anthropic\.claude-sonnet-4-6-20260115-v1(:|%3A)0\/invoke(-with-response-stream)?$/,
    streamType: 'vnd.amazon.eventstream',
    secrets: ['AKIDEXAMPLE', 'Signature', 'secret-of-the-test'],
  },
  {
    name: '@anthropic-ai/vertex-sdk',
    ClientClass: AnthropicVertex,
    newClient: (baseURL) =>
      new AnthropicVertex({
        baseURL,
        region: 'global',
        projectId: 'project-1',
        authClient: {
          getRequestHeaders: async () => new Headers({ authorization: 'Bearer token-of-the-test' }),
        } as never,
        maxRetries: 0,
      }) as unknown as CloudClient,
    model: 'claude-sonnet-4-6@20260115',
    answeredModel: 'claude-sonnet-4-6',
    recordedModel: 'claude-sonnet-4-6@20260115',
    path: /^\/projects\/project-1\/locations\/global\/publishers\/anthropic\/models\/claude-sonnet-4-6(@|%40)20260115:(rawPredict|streamRawPredict)$/,
    streamType: 'text/event-stream',
    secrets: ['token-of-the-test'],
  },
  {
    name: '@anthropic-ai/foundry-sdk',
    ClientClass: AnthropicFoundry,
    newClient: (url) =>
      new AnthropicFoundry({
        baseURL: `${url}/anthropic/`,
        apiKey: 'key-of-the-test',
        maxRetries: 0,
      }) as unknown as CloudClient,
    model: 'claude-sonnet-4-6',
    answeredModel: 'claude-sonnet-4-6',
    recordedModel: undefined,
    path: /^\/anthropic\/v1\/messages$/,
    streamType: 'text/event-stream',
    secrets: ['key-of-the-test'],
  },
];

function params(model: string, text = 'hi'): Anthropic.MessageCreateParamsNonStreaming {
  return {
    model,
    max_tokens: 64,
    system: [{ type: 'text', text: 'word '.repeat(2000), cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: text }],
  };
}

async function observed(
  cloud: Cloud,
): Promise<RecordedCalls & { readonly server: ModelServer; readonly client: CloudClient }> {
  const server = await startModelServer();
  onTestFinished(() => server.close());
  const recorded = recordCalls();
  return {
    ...recorded,
    server,
    client: observeClient(cloud.newClient(server.url), {}, () => recorded.recorder),
  };
}

async function only(recorded: RecordedCalls): Promise<RecordedCall> {
  const [call] = await recorded.ended(1);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  expect(recorded.calls).toHaveLength(1);
  if (call === undefined) throw new Error('unreachable: one call was awaited');
  return call;
}

describe.each(CLOUDS)('$name', (cloud) => {
  it('is copied as a client of the same class', async () => {
    const server = await startModelServer();
    onTestFinished(() => server.close());
    const plain = cloud.newClient(server.url);
    const client = observeClient(plain, {}, () => recordCalls().recorder);
    expect(client).not.toBe(plain);
    expect(client).toBeInstanceOf(cloud.ClientClass);
    expectTypeOf(client).toEqualTypeOf<CloudClient>();
  });

  it('records a plain call, with the model and the usage', async () => {
    const recorded = await observed(cloud);
    await recorded.client.messages.create(params(cloud.model));
    const { request, response } = await only(recorded);
    const [sent] = recorded.server.requests;
    expect(sent?.path).toMatch(cloud.path);
    expect(request).toMatchObject({ api: 'anthropic.messages', body: sent?.bodyText });
    expect(request.model).toBe(cloud.recordedModel);
    expect(response).toMatchObject({
      ending: 'completed',
      status: 200,
      model: cloud.answeredModel,
    });
    expect(response.usage).toEqual(sent?.usage);
  });

  it('records a stream, whose caller gets all of it', async () => {
    const recorded = await observed(cloud);
    const message = await recorded.client.messages.stream(params(cloud.model)).finalMessage();
    const { request, response } = await only(recorded);
    expect(recorded.server.requests[0]?.path).toMatch(cloud.path);
    expect(request.model).toBe(cloud.recordedModel);
    expect(response).toMatchObject({ ending: 'completed', status: 200, id: message.id });
    expect(response.usage).toMatchObject({
      cache_creation_input_tokens: message.usage.cache_creation_input_tokens,
      output_tokens: message.usage.output_tokens,
    });
  });

  it('records an early break as canceled, and the server sees the caller leave', async () => {
    const recorded = await observed(cloud);
    recorded.server.failNext({ kind: 'endless' });
    await collect(await recorded.client.messages.create({ ...params(cloud.model), stream: true }), 3);
    expect((await only(recorded)).response).toMatchObject({ ending: 'canceled', status: 200 });
    await recorded.server.idle();
    expect(recorded.server.requests[0]?.ending).toBe('disconnected');
  });

  it('records an error in the middle of a stream as failed', async () => {
    const recorded = await observed(cloud);
    recorded.server.failNext({ kind: 'error-event', afterChunks: 2 });
    await expect(recorded.client.messages.stream(params(cloud.model)).finalMessage()).rejects.toThrow();
    const { response } = await only(recorded);
    expect(response).toMatchObject({ ending: 'failed', status: 200 });
    expect(response.error?.type).toMatch(/overloaded_error|serviceUnavailableException/);
  });

  it('records a rejected call as failed', async () => {
    const recorded = await observed(cloud);
    recorded.server.failNext({ kind: 'status', status: 400, message: 'Not so.' });
    await expect(recorded.client.messages.create(params(cloud.model))).rejects.toThrow('Not so.');
    const { response } = await only(recorded);
    expect(response).toMatchObject({ ending: 'failed', status: 400, error: { message: 'Not so.' } });
  });

  it('keeps the credential out, and knows the account again', async () => {
    const recorded = await observed(cloud);
    await recorded.client.messages.create(params(cloud.model, 'one'));
    await recorded.client.messages.create(params(cloud.model, 'two'));
    await recorded.ended(2);
    await recorded.recorder.flush();
    const [first, second] = recorded.started;
    expect(first?.account).toBeDefined();
    expect(second?.account).toBe(first?.account);
    const text = JSON.stringify([recorded.calls, recorded.started]);
    for (const secret of cloud.secrets) expect(text).not.toContain(secret);
  });

  it('gives its caller the very answer that it gives unobserved', async () => {
    const answers: unknown[] = [];
    for (const wrap of [
      (client: CloudClient) => client,
      (client: CloudClient) => observeClient(client, {}, () => recordCalls().recorder),
    ]) {
      const server = await startModelServer();
      onTestFinished(() => server.close());
      const client = wrap(cloud.newClient(server.url));
      const plain = await client.messages.create(params(cloud.model));
      const events = await collect(await client.messages.create({ ...params(cloud.model), stream: true }));
      const sent = server.requests.map(({ path, bodyText }) => ({ path, bodyText }));
      answers.push({ plain, events, sent });
    }
    expect(answers[1]).toEqual(answers[0]);
  });

  it('answers a stream in its own framing, which is what was read', async () => {
    const types: (string | null)[] = [];
    const server = await startModelServer();
    onTestFinished(() => server.close());
    const client = observeClient(
      cloud.newClient(server.url),
      {
        fetch: async (...fetchArguments) => {
          const response = await fetch(...fetchArguments);
          types.push(response.headers.get('content-type'));
          return response;
        },
      },
      () => recordCalls().recorder,
    );
    await client.messages.stream(params(cloud.model)).finalMessage();
    expect(types).toEqual([expect.stringContaining(cloud.streamType)]);
  });
});
