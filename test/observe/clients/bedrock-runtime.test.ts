import { setFlagsFromString } from 'node:v8';
import {
  ApplyGuardrailCommand,
  type BedrockRuntime,
  BedrockRuntimeClient,
  ConverseStreamCommand,
  InvokeModelCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { FetchHttpHandler } from '@smithy/fetch-http-handler';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from '../../../src/model-server/index.ts';
import { observeClient } from '../../../src/observe/observe-client.ts';
import { observeFetchWith } from '../../../src/observe/observe-fetch.ts';
import type { RecorderOptions } from '../../../src/observe/recorder.ts';
import { withScope } from '../../../src/observe/scope.ts';
import {
  CONVERSE,
  CONVERSE_STREAM,
  converseInput,
  MODEL_ID,
  newBedrockClient,
  OPERATIONS,
  TRANSPORTS,
} from '../../support/bedrock.ts';
import {
  nextTurn,
  type RecordedCall,
  type RecordedCalls,
  recordCalls,
} from '../../support/recorded-calls.ts';

interface Observed extends RecordedCalls {
  readonly server: ModelServer;
  readonly client: BedrockRuntime;
}

async function serve(options: ModelServerOptions = {}): Promise<ModelServer> {
  const server = await startModelServer(options);
  onTestFinished(() => server.close());
  return server;
}

async function observed(
  transport: (typeof TRANSPORTS)[number] | undefined = TRANSPORTS[0],
  { maxAttempts = 1, ...options }: Partial<RecorderOptions> & { maxAttempts?: number } = {},
): Promise<Observed> {
  const server = await serve();
  const recorded = recordCalls(options);
  const plain = newBedrockClient(server.url, transport?.newHandler(), { maxAttempts });
  onTestFinished(() => plain.destroy());
  return { ...recorded, server, client: observeClient(plain, {}, () => recorded.recorder) };
}

async function only(recorded: RecordedCalls): Promise<RecordedCall> {
  const [call] = await recorded.ended(1);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  expect(recorded.calls).toHaveLength(1);
  expect(recorded.opened).toHaveLength(1);
  if (call === undefined) throw new Error('unreachable: one call was awaited');
  return call;
}

describe.each(TRANSPORTS)('over $name', (transport) => {
  it.each(OPERATIONS)('records $name once, with its model from the path and its usage', async (operation) => {
    const recorded = await observed(transport);
    await operation.call(recorded.client, 'hi');
    const { request, response } = await only(recorded);
    const [sent] = recorded.server.requests;
    expect(request).toMatchObject({ api: operation.api, model: MODEL_ID, body: sent?.bodyText });
    expect(request.endpoint).toBe(new URL(recorded.server.url).host);
    expect(request.headers).toMatchObject({
      'amz-sdk-invocation-id': sent?.headers['amz-sdk-invocation-id'],
      'amz-sdk-request': sent?.headers['amz-sdk-request'],
    });
    expect(response).toMatchObject({ ending: 'completed', status: 200 });
    expect(response.usage).toMatchObject(withoutNulls(sent?.usage));
    expect(response.completedAtMs).toBeGreaterThanOrEqual(response.firstByteAtMs ?? Number.POSITIVE_INFINITY);
  });

  it.each(OPERATIONS)('has ended the record before the caller of $name has its answer', async (operation) => {
    const recorded = await observed(transport);
    await recorded.recorder.flush();
    let endedAtLastEvent = -1;
    await operation.call(recorded.client, 'hi', {
      onEvent: () => {
        endedAtLastEvent = recorded.calls.length;
      },
    });
    expect(recorded.calls).toHaveLength(1);
    expect(endedAtLastEvent).toBe(operation.isStreaming ? 1 : -1);
  });

  const streaming = OPERATIONS.filter(({ isStreaming }) => isStreaming);

  it.each(streaming)(
    'records $name that the caller breaks off as canceled, once no read follows',
    async (operation) => {
      // The SDK keeps a stream open that its reader has left.
      const recorded = await observed(transport, { abandonedAfterMs: 50 });
      recorded.server.failNext({ kind: 'endless' });
      await operation.call(recorded.client, 'hi', { eventLimit: 3 });
      expect(recorded.calls).toEqual([]);
      const { response } = await only(recorded);
      expect(response).toMatchObject({ ending: 'canceled', status: 200 });
      expect(response.error).toBeUndefined();
    },
  );

  it.each(streaming)('records an abort in the middle of $name as canceled', async (operation) => {
    const recorded = await observed(transport);
    recorded.server.failNext({ kind: 'endless' });
    const controller = new AbortController();
    let eventsSeen = 0;
    const onEvent = (): void => {
      eventsSeen++;
      if (eventsSeen === 3) controller.abort();
    };
    await operation
      .call(recorded.client, 'hi', { abortSignal: controller.signal, onEvent, eventLimit: 5000 })
      .catch(() => undefined);
    expect((await only(recorded)).response).toMatchObject({ ending: 'canceled', status: 200 });
  });

  it.each(OPERATIONS)('records an abort of $name before the response as canceled', async (operation) => {
    const recorded = await observed(transport);
    recorded.server.failNext({ kind: 'endless' });
    const controller = new AbortController();
    const held = operation.isStreaming ? { firstByteDelayMs: 60_000 } : {};
    const server = operation.isStreaming ? await serve(held) : recorded.server;
    const plain = newBedrockClient(server.url, transport.newHandler());
    onTestFinished(() => plain.destroy());
    const client = observeClient(plain, {}, () => recorded.recorder);
    const pending = operation.call(client, 'hi', { abortSignal: controller.signal });
    pending.catch(() => undefined);
    while (server.requests[0]?.cache === undefined) await nextTurn();
    controller.abort();
    await expect(pending).rejects.toThrow('aborted');
    const { response } = await only(recorded);
    expect(response.ending).toBe('canceled');
    expect(response.status).toBeUndefined();
  });

  it.each(streaming)('records an exception in the middle of $name as failed', async (operation) => {
    const recorded = await observed(transport);
    recorded.server.failNext({ kind: 'error-event', afterChunks: 2 });
    await expect(operation.call(recorded.client, 'hi')).rejects.toThrow('Overloaded');
    const { response } = await only(recorded);
    expect(response).toMatchObject({ ending: 'failed', error: { type: 'serviceUnavailableException' } });
  });

  it.each(OPERATIONS)(
    'records a connection that is cut in the middle of $name as failed',
    async (operation) => {
      const recorded = await observed(transport);
      recorded.server.failNext({ kind: 'drop', afterChunks: 2 });
      // The SDK takes a cut stream over HTTP/2 for one that ended.
      await operation.call(recorded.client, 'hi').catch(() => undefined);
      const { response } = await only(recorded);
      expect(response).toMatchObject({ ending: 'failed', status: 200 });
      expect(response.error).toBeDefined();
    },
  );

  it.each(OPERATIONS)('records a rejected $name as failed, with what the service said', async (operation) => {
    const recorded = await observed(transport);
    recorded.server.failNext({ kind: 'status', status: 400, message: 'The model is unknown.' });
    await expect(operation.call(recorded.client, 'hi')).rejects.toMatchObject({
      name: 'ValidationException',
    });
    const { response } = await only(recorded);
    expect(response).toMatchObject({ ending: 'failed', status: 400 });
  });

  it('records the attempts of a call that is retried as one, under the name of the call', async () => {
    const recorded = await observed(transport, { maxAttempts: 3 });
    recorded.server.failNext({ kind: 'status', status: 503 }, 2);
    await CONVERSE.call(recorded.client, 'hi');
    const { request, response } = await only(recorded);
    expect(response).toMatchObject({ ending: 'completed', status: 200 });
    const sent = recorded.server.requests.map(({ headers }) => headers['amz-sdk-invocation-id']);
    expect(sent).toHaveLength(3);
    expect(new Set(sent)).toEqual(new Set([request.headers?.['amz-sdk-invocation-id']]));
  });

  it('ends the record of a stream that nobody reads', async () => {
    const recorded = await observed(transport, { abandonedAfterMs: 20 });
    await recorded.client.send(new ConverseStreamCommand(converseInput('hi')));
    expect((await only(recorded)).response).toMatchObject({ ending: 'canceled', status: 200 });
  });

  it('records calls that run at once, one by one', async () => {
    const recorded = await observed(transport);
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => CONVERSE_STREAM.call(recorded.client, `hi ${at}`)),
    );
    const calls = await recorded.ended(20);
    const texts = new Set(calls.map(({ request }) => /hi \d+/.exec(String(request.body))?.[0]));
    expect(texts.size).toBe(20);
    expect(calls.every(({ response }) => response.ending === 'completed')).toBe(true);
  });
});

function withoutNulls(usage: object | undefined): object {
  return Object.fromEntries(Object.entries(usage ?? {}).filter(([, value]) => value !== null));
}

describe('the copy', () => {
  it('has the class and the type of the client, whose stack and transport stay', async () => {
    const server = await serve();
    const plain = newBedrockClient(server.url);
    onTestFinished(() => plain.destroy());
    const before = plain.middlewareStack.identify();
    const client = observeClient(plain, {}, () => recordCalls().recorder);
    expectTypeOf(client).toEqualTypeOf<BedrockRuntime>();
    expect(client).not.toBe(plain);
    expect(client).toBeInstanceOf(BedrockRuntimeClient);
    expect(client.config).toBe(plain.config);
    expect(plain.middlewareStack.identify()).toEqual(before);
    expect(client.middlewareStack.identify()).toHaveLength(before.length + 1);
  });

  it('records and the original does not, also where the original has resolved its stack before', async () => {
    const server = await serve();
    const recorded = recordCalls();
    const plain = newBedrockClient(server.url, undefined, { cacheMiddleware: true });
    onTestFinished(() => plain.destroy());
    await plain.converse(converseInput('before'));
    const client = observeClient(plain, {}, () => recorded.recorder);
    await client.converse(converseInput('observed'));
    await plain.converse(converseInput('after'));
    expect((await only(recorded)).request.body).toContain('observed');
  });

  it('takes callbacks as the original does', async () => {
    const recorded = await observed();
    const output = await new Promise((resolve, reject) => {
      recorded.client.converse(converseInput('hi'), (error: unknown, data?: unknown) =>
        error ? reject(error) : resolve(data),
      );
    });
    expect(output).toMatchObject({ stopReason: 'end_turn' });
    await only(recorded);
  });

  it('closes the connections by destroy()', async () => {
    const recorded = await observed(TRANSPORTS[1]);
    await CONVERSE.call(recorded.client, 'hi');
    recorded.client.destroy();
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    const { requestHandler } = recorded.client.config as unknown as {
      requestHandler: {
        httpHandlerConfigs(): { httpAgent?: { destroyed?: boolean; sockets: object; freeSockets: object } };
      };
    };
    const agent = requestHandler.httpHandlerConfigs().httpAgent;
    expect({ ...agent?.sockets, ...agent?.freeSockets }).toEqual({});
  });

  it('runs the middleware of the user, and sends what it made of the request', async () => {
    const server = await serve();
    const recorded = recordCalls();
    const plain = newBedrockClient(server.url);
    onTestFinished(() => plain.destroy());
    plain.middlewareStack.add(
      (next) => (argument) => {
        const request = argument.request as { body: string; headers: Record<string, string> };
        request.body = request.body.replace('hi', 'ho');
        request.headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
        return next(argument);
      },
      { step: 'deserialize', priority: 'low', name: 'userMiddleware' },
    );
    const client = observeClient(plain, {}, () => recorded.recorder);
    await client.converse(converseInput('hi'));
    expect(server.requests[0]?.bodyText).toContain('"ho"');
    expect((await only(recorded)).request.body).toBe(server.requests[0]?.bodyText);
  });

  it('of an observed client is the client itself, or completes its scope, and records once', async () => {
    const recorded = await observed();
    const again = observeClient(recorded.client, {}, () => recorded.recorder);
    expect(again).toBe(recorded.client);
    const scoped = observeClient(recorded.client, { scope: { phase: 'planner' } }, () => recorded.recorder);
    await withScope({ thread: 't-1' }, () => scoped.converse(converseInput('hi')));
    expect((await only(recorded)).request.scope).toEqual({ thread: 't-1', phase: 'planner' });
  });

  it('records once where the request handler sends by a fetch that records', async () => {
    const server = await serve();
    const recorded = recordCalls();
    const { fetch: original } = globalThis;
    globalThis.fetch = observeFetchWith(original, () => recorded.recorder);
    onTestFinished(() => {
      globalThis.fetch = original;
    });
    const plain = newBedrockClient(server.url, new FetchHttpHandler());
    const client = observeClient(plain, {}, () => recorded.recorder);
    await client.converse(converseInput('hi'));
    await only(recorded);
    await plain.converse(converseInput('by fetch alone'));
    await recorded.ended(2);
    expect(recorded.calls[1]?.request).toMatchObject({ api: 'bedrock.converse', model: MODEL_ID });
  });

  it('leaves all that is no model call, and bodies of other vendors, alone', async () => {
    const recorded = await observed();
    await recorded.client
      .send(
        new ApplyGuardrailCommand({
          guardrailIdentifier: 'g',
          guardrailVersion: '1',
          source: 'INPUT',
          content: [{ text: { text: 'hi' } }],
        }),
      )
      .catch(() => undefined);
    await recorded.client
      .send(new InvokeModelCommand({ modelId: 'amazon.nova-lite-v1:0', body: '{"messages":[]}' }))
      .catch(() => undefined);
    expect(recorded.server.requests).toHaveLength(2);
    expect(recorded.opened).toEqual([]);
  });
});

it('keeps all of the credential out of the record, and knows the same key again', async () => {
  const recorded = await observed();
  await CONVERSE.call(recorded.client, 'one');
  await CONVERSE.call(recorded.client, 'two');
  await recorded.ended(2);
  await recorded.recorder.flush();
  const [first, second] = recorded.started;
  expect(first?.account).toBeDefined();
  expect(second?.account).toBe(first?.account);
  const text = JSON.stringify([recorded.calls, recorded.started]);
  expect(text).not.toContain('AKIDEXAMPLE');
  expect(text).not.toContain('Signature');
  expect(text).not.toContain('secret-of-the-test');
});

it('is refused for clients of other AWS services, with a message that says what can be observed', () => {
  class S3Client {
    config = { serviceId: 'S3' };
    middlewareStack = { clone: () => undefined, add: () => undefined };
    send(): void {}
  }
  expect(() => observeClient(new S3Client(), {}, () => recordCalls().recorder)).toThrow(
    /an instance of S3Client.*@aws-sdk\/client-bedrock-runtime/,
  );
});

it('does not hold the body of a response once the caller has let it go', async () => {
  setFlagsFromString('--expose-gc');
  const recorded = await observed(TRANSPORTS[2]);
  const hold = async (): Promise<WeakRef<object>> => {
    const { stream } = await recorded.client.send(new ConverseStreamCommand(converseInput('hi')));
    return new WeakRef(stream as object);
  };
  const stream = await hold();
  for (let round = 0; round < 20 && stream.deref() !== undefined; round++) {
    await nextTurn();
    globalThis.gc?.();
  }
  expect(stream.deref()).toBeUndefined();
});
