import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import {
  createGateway,
  createProviderRegistry,
  customProvider,
  generateText,
  streamText,
  wrapLanguageModel,
} from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { type ModelServer, startModelServer } from '../../../src/model-server/index.ts';
import { observeClient } from '../../../src/observe/observe-client.ts';
import { observeFetchWith } from '../../../src/observe/observe-fetch.ts';
import { expectRebuild, withScope } from '../../../src/observe/scope.ts';
import { readUsage } from '../../../src/prompt/usage.ts';
import { AI_SDK_TARGETS, type AiSdkTarget, GOOGLE_TARGET, type Model } from '../../support/ai-sdk-targets.ts';
import { eventReply, jsonReply } from '../../support/model-replies.ts';
import { type RecordedCalls, recordCalls } from '../../support/recorded-calls.ts';
import { startScriptedServer } from '../../support/scripted-server.ts';

const LOOK_UP = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;

let server: ModelServer;
let recorded: RecordedCalls;
beforeAll(async () => {
  server = await startModelServer({
    reply: ({ body }) =>
      // The tool was offered and has not answered yet: call it.
      body.tools !== undefined && !JSON.stringify(body).includes('18 degrees')
        ? { toolCalls: [{ name: 'lookUp', input: { city: 'Basel' } }] }
        : { text: 'Hello there' },
  });
});
afterAll(() => server.close());
beforeEach(() => {
  recorded = recordCalls();
});

function observe<Client extends object>(client: Client, options = {}): Client {
  return observeClient(client, options, () => recorded.recorder);
}

/** What the server was sent since a moment. */
function sentSince(count: number): unknown[] {
  return server.requests.slice(count).map(({ bodyText }) => JSON.parse(bodyText));
}

function recordedBodies(): unknown[] {
  return recorded.started.map(({ body }) => (typeof body === 'string' ? JSON.parse(body) : body));
}

function streaming(body: unknown): object {
  return { stream: true, ...(body as object) };
}

function modelOf(target: AiSdkTarget, fetch?: typeof globalThis.fetch): Model {
  return target.model(target.newProvider(server.url, fetch));
}

/** Every way in which a model can be observed, for one and the same call. */
const WAYS: readonly { readonly name: string; observedModel(target: AiSdkTarget): Model }[] = [
  { name: 'a model', observedModel: (target) => observe(modelOf(target)) },
  {
    name: 'a provider',
    observedModel: (target) => target.model(observe(target.newProvider(server.url))),
  },
  {
    name: 'a model with middleware',
    observedModel: (target) =>
      observe(target.sdk.wrapLanguageModel({ model: modelOf(target) as never, middleware: {} })),
  },
  {
    name: 'a model with middleware over an observed model',
    observedModel: (target) =>
      observe(target.sdk.wrapLanguageModel({ model: observe(modelOf(target)) as never, middleware: {} })),
  },
  {
    name: 'a model with middleware over an observed fetch',
    observedModel: (target) =>
      observe(
        target.sdk.wrapLanguageModel({
          model: modelOf(
            target,
            observeFetchWith(globalThis.fetch, () => recorded.recorder),
          ) as never,
          middleware: {},
        }),
      ),
  },
  {
    name: 'a model with middleware, observed twice over',
    observedModel: (target) => {
      const inner = observe(
        target.sdk.wrapLanguageModel({ model: modelOf(target) as never, middleware: {} }),
      );
      return observe(target.sdk.wrapLanguageModel({ model: inner as never, middleware: {} }));
    },
  },
];

for (const target of AI_SDK_TARGETS) {
  const { generateText, streamText, jsonSchema, stepCountIs, tool } = target.sdk;
  describe(target.name, () => {
    for (const { name, observedModel } of WAYS) {
      it(`records the body, the id and the usage of generateText once, through ${name}`, async () => {
        const before = server.requests.length;
        const { response } = await generateText({
          model: observedModel(target),
          system: 'Be brief.',
          prompt: 'Hi',
        });
        await recorded.recorder.flush();
        expect(recorded.calls).toHaveLength(1);
        expect(recordedBodies()).toEqual(sentSince(before));
        expect(recorded.calls[0]?.request.api).toBe(target.api);
        expect(recorded.calls[0]?.response).toMatchObject({
          ending: 'completed',
          id: response.id,
          usage: server.requests[before]?.usage,
        });
      });

      it(`records streamText once, completed, through ${name}`, async () => {
        const before = server.requests.length;
        const result = streamText({ model: observedModel(target), prompt: 'Hi' });
        let text = '';
        for await (const delta of result.textStream) text += delta;
        expect(text).toBe('Hello there');
        await recorded.recorder.flush();
        expect(recorded.calls).toHaveLength(1);
        // The adapters leave it out of what they say they sent.
        expect(recordedBodies().map(streaming)).toEqual(sentSince(before).map(streaming));
        const [call] = recorded.calls;
        expect(call?.response.ending).toBe('completed');
        expect(call?.response.id).toBe((await result.response).id);
        const { input, cacheRead } = readUsage(target.api, server.requests[before]?.usage) ?? {};
        expect(readUsage(target.api, call?.response.usage)).toMatchObject({ input, cacheRead });
      });

      it(`records each step of an agent, through ${name}`, async () => {
        const before = server.requests.length;
        const { steps } = await generateText({
          model: observedModel(target),
          prompt: 'How warm is it in Basel?',
          stopWhen: stepCountIs(3),
          tools: {
            lookUp: tool({
              description: 'Looks up the weather.',
              inputSchema: jsonSchema(LOOK_UP as never),
              execute: async () => '18 degrees',
            } as never),
          },
        });
        expect(steps).toHaveLength(2);
        await recorded.recorder.flush();
        expect(recorded.calls.map(({ response }) => response.ending)).toEqual(['completed', 'completed']);
        expect(recordedBodies()).toEqual(sentSince(before));
      });

      it(`records an attempt that failed and the retry, through ${name}`, async () => {
        server.failNext({ kind: 'status', status: 429, retryAfterSeconds: 0 });
        const before = server.requests.length;
        const { text } = await generateText({ model: observedModel(target), prompt: 'Hi' });
        expect(text).toBe('Hello there');
        await recorded.recorder.flush();
        expect(recorded.calls.map(({ response }) => response)).toEqual([
          expect.objectContaining({ ending: 'completed', attempts: 2 }),
        ]);
        expect(recordedBodies()).toEqual(sentSince(before));
      });

      it(`records a request that was refused as failed, through ${name}`, async () => {
        server.failNext({ kind: 'status', status: 400 });
        const failure = generateText({ model: observedModel(target), prompt: 'Hi' });
        await expect(failure).rejects.toThrow('status 400');
        await recorded.recorder.flush();
        expect(recorded.calls.map(({ response }) => response)).toEqual([
          expect.objectContaining({
            ending: 'failed',
            status: 400,
            error: expect.objectContaining({ type: 'invalid_request_error' }),
          }),
        ]);
      });

      it(`records a stream that the caller leaves as canceled, through ${name}`, async () => {
        server.failNext({ kind: 'endless' });
        const abort = new AbortController();
        const result = streamText({
          model: observedModel(target),
          prompt: 'Hi',
          abortSignal: abort.signal,
          onError: () => {},
        });
        for await (const part of result.fullStream) {
          if (part.type === 'text-delta') abort.abort();
        }
        await recorded.ended(1);
        expect(recorded.calls[0]?.response).toMatchObject({ ending: 'canceled' });
      });
    }

    it('leaves the argument as it was and keeps its class', () => {
      const model = modelOf(target);
      const config = Reflect.get(model, 'config');
      const before = { ...config };
      const observed = observe(model);
      expect(observed.constructor).toBe(model.constructor);
      // A copy with another transport, and not a model that is observed by its results.
      expect(Object.getPrototypeOf(observed)).toBe(Object.getPrototypeOf(model));
      expect(Reflect.get(observed, 'config')).not.toBe(config);
      expect(Reflect.get(model, 'config')).toBe(config);
      expect(config).toEqual(before);
      expect(observed.supportedUrls).toEqual(model.supportedUrls);
      expect(observed.provider).toBe(model.provider);
    });

    it('observes once', async () => {
      const observed = observe(modelOf(target));
      expect(observe(observed)).toBe(observed);
      await generateText({ model: observe(observed, { scope: { phase: 'planner' } }), prompt: 'Hi' });
      await recorded.recorder.flush();
      expect(recorded.opened.map(({ scope }) => scope)).toEqual([{ phase: 'planner' }]);
    });
  });
}

describe('a provider of the AI SDK', () => {
  it('keeps its type, its members and what is no language model', async () => {
    const openai = createOpenAI({ apiKey: 'k', baseURL: `${server.url}/v1` });
    const observed = observe(openai);
    expectTypeOf(observed).toEqualTypeOf(openai);
    expect(Object.keys(observed)).toEqual(Object.keys(openai));
    expect(observed.tools).toBe(openai.tools);
    expect(observed.chat('gpt-5.5')).toBeInstanceOf(openai.chat('gpt-5.5').constructor);
    expect(observed.embedding('e').constructor).toBe(openai.embedding('e').constructor);
    expect(typeof observed.experimental_realtime.getToken).toBe('function');
    expect(Reflect.get(openai('gpt-5.5'), 'config')).toHaveProperty('fetch', undefined);
  });

  it('observes what a registry and a custom provider give', async () => {
    const anthropic = createAnthropic({ apiKey: 'k', baseURL: `${server.url}/v1` });
    const custom = customProvider({
      languageModels: { fast: wrapLanguageModel({ model: anthropic('claude-haiku-5'), middleware: {} }) },
      fallbackProvider: anthropic,
    });
    const registry = createProviderRegistry({ anthropic, custom });
    await generateText({ model: observe(registry).languageModel('anthropic:claude-opus-5'), prompt: 'Hi' });
    await generateText({ model: observe(registry).languageModel('custom:fast'), prompt: 'Hi' });
    await generateText({ model: observe(custom).languageModel('fast'), prompt: 'Hi' });
    await generateText({ model: observe(custom).languageModel('claude-opus-5' as 'fast'), prompt: 'Hi' });
    await recorded.recorder.flush();
    expect(recorded.calls.map(({ response }) => response.model)).toEqual([
      'claude-opus-5',
      'claude-haiku-5',
      'claude-haiku-5',
      'claude-opus-5',
    ]);
    expect(() => observe(registry).languageModel('nobody:x' as 'custom:fast')).toThrow('No such provider');
  });

  it('observes the models of an observed provider in a registry', async () => {
    const registry = createProviderRegistry({
      anthropic: observe(createAnthropic({ apiKey: 'k', baseURL: `${server.url}/v1` })),
    });
    await generateText({ model: registry.languageModel('anthropic:claude-opus-5'), prompt: 'Hi' });
    await recorded.recorder.flush();
    expect(recorded.calls).toHaveLength(1);
  });

  it('runs the methods of a provider with private members on the provider itself', async () => {
    class House {
      readonly specificationVersion = 'v4';
      readonly #anthropic = createAnthropic({ apiKey: 'k', baseURL: `${server.url}/v1` });
      get region(): string {
        return this.#anthropic.specificationVersion;
      }
      languageModel(id: string) {
        return this.#anthropic(id);
      }
    }
    const observed = observe(new House());
    expect(observed).toBeInstanceOf(House);
    expect(observed.region).toBe('v4');
    await generateText({ model: observed.languageModel('claude-opus-5'), prompt: 'Hi' });
    await recorded.recorder.flush();
    expect(recorded.calls).toHaveLength(1);
  });
});

describe('a model of the AI SDK', () => {
  const anthropic = () => createAnthropic({ apiKey: 'secret-key', baseURL: `${server.url}/v1` });

  it('keeps its type', () => {
    const model = anthropic()('claude-opus-5');
    expectTypeOf(observe(model)).toEqualTypeOf(model);
    const wrapped = wrapLanguageModel({ model, middleware: {} });
    expectTypeOf(observe(wrapped)).toEqualTypeOf(wrapped);
  });

  it('sends through the transport of the provider, or through the one named in the options', async () => {
    const sent: string[] = [];
    const through =
      (name: string): typeof fetch =>
      (...fetchArguments) => {
        sent.push(name);
        return fetch(...fetchArguments);
      };
    const model = createAnthropic({
      apiKey: 'k',
      baseURL: `${server.url}/v1`,
      fetch: through('provider'),
    })('claude-opus-5');
    await generateText({ model: observe(model), prompt: 'Hi' });
    await generateText({ model: observe(model, { fetch: through('options') }), prompt: 'Hi' });
    expect(sent).toEqual(['provider', 'options']);
  });

  it('takes the global fetch of the moment of the call, as the SDK does', async () => {
    const model = observe(anthropic()('claude-opus-5'));
    const { fetch: globalFetch } = globalThis;
    let calls = 0;
    globalThis.fetch = observeFetchWith(
      (...fetchArguments) => {
        calls++;
        return globalFetch(...fetchArguments);
      },
      () => recorded.recorder,
    );
    try {
      await generateText({ model, prompt: 'Hi' });
      await generateText({
        model: observe(wrapLanguageModel({ model: anthropic()('claude-opus-5'), middleware: {} })),
        prompt: 'Hi',
      });
    } finally {
      globalThis.fetch = globalFetch;
    }
    await recorded.recorder.flush();
    expect(calls).toBe(2);
    expect(recorded.calls).toHaveLength(2);
  });

  it('lets no credential into the record', async () => {
    await generateText({ model: observe(anthropic()('claude-opus-5')), prompt: 'Hi' });
    await generateText({
      model: observe(wrapLanguageModel({ model: anthropic()('claude-opus-5'), middleware: {} })),
      prompt: 'Hi',
    });
    await recorded.recorder.flush();
    expect(recorded.started).toHaveLength(2);
    expect(JSON.stringify([recorded.started, recorded.calls])).not.toContain('secret-key');
  });

  it('of the gateway stays as it is: its prompts are in no form that is known', () => {
    const model = createGateway({ apiKey: 'k' })('anthropic/claude-opus-5');
    expect(observe(model)).toBe(model);
  });

  it('with private members keeps working, observed by its results', async () => {
    class PrivateModel {
      readonly specificationVersion = 'v4';
      readonly config = { fetch: undefined };
      readonly #inner = anthropic()('claude-opus-5');
      get provider() {
        return this.#inner.provider;
      }
      get modelId() {
        return this.#inner.modelId;
      }
      get supportedUrls() {
        return this.#inner.supportedUrls;
      }
      doGenerate(options: never) {
        return this.#inner.doGenerate(options);
      }
      doStream(options: never) {
        return this.#inner.doStream(options);
      }
    }
    const observed = observe(new PrivateModel());
    expect(observed).toBeInstanceOf(PrivateModel);
    expect((await generateText({ model: observed as never, prompt: 'Hi' })).text).toBe('Hello there');
    await recorded.recorder.flush();
    expect(recorded.calls).toHaveLength(1);
  });

  it('that does not say what it sent passes unrecorded', async () => {
    const answer = { content: [{ type: 'text', text: 'Hi' }], finishReason: 'stop', usage: {}, warnings: [] };
    const model = {
      specificationVersion: 'v4',
      provider: 'house',
      modelId: 'm',
      supportedUrls: {},
      doGenerate: async () => answer,
      doStream: async () => ({ stream: new ReadableStream() }),
    };
    expect(await observe(model).doGenerate()).toBe(answer);
    expect(recorded.opened).toEqual([]);
  });
});

describe('a model observed by its results', () => {
  const wrapped = (): Model =>
    wrapLanguageModel({
      model: createAnthropic({ apiKey: 'k', baseURL: `${server.url}/v1` })('claude-opus-5'),
      middleware: {},
    });
  const PROMPT = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] } as never;

  it('carries the declared scope, an announced rebuild and what the body says of who is calling', async () => {
    const model = observe(wrapped(), { scope: { phase: 'worker' } });
    await withScope({ thread: 't' }, async () => {
      expectRebuild('compaction');
      await model.doGenerate({
        ...(PROMPT as object),
        providerOptions: { anthropic: { metadata: { userId: 'user_1_account_2_session_abc' } } },
      } as never);
      await model.doGenerate(PROMPT);
    });
    await recorded.recorder.flush();
    expect(recorded.started).toMatchObject([
      {
        scope: { thread: 't', phase: 'worker' },
        expectedRebuild: 'compaction',
        body: expect.stringContaining('user_1_account_2_session_abc'),
      },
      { expectedRebuild: undefined },
    ]);
  });

  it('reads a stream only as its reader reads, and ends its record before the last part', async () => {
    const parts = [
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'msg_1', modelId: 'claude-opus-5-1' },
      { type: 'finish', finishReason: 'stop', usage: { raw: { input_tokens: 7 } } },
    ];
    let pulls = 0;
    let canceledWith: unknown;
    const newModel = (given: readonly object[], error?: Error) => ({
      ...wrapped(),
      doStream: async () => ({
        request: { body: { model: 'claude-opus-5', max_tokens: 9, messages: [] } },
        stream: new ReadableStream(
          {
            pull(controller) {
              const part = given[pulls++];
              if (part !== undefined) controller.enqueue(part);
              else if (error !== undefined) controller.error(error);
              else controller.close();
            },
            cancel(reason) {
              canceledWith = reason;
            },
          },
          { highWaterMark: 0 },
        ),
      }),
    });
    const readerOf = async (model: object) => {
      pulls = 0;
      const { stream } = await (observe(model) as ReturnType<typeof newModel>).doStream();
      return stream.getReader();
    };

    // Until the engine is loaded, ends wait.
    await recorded.recorder.flush();
    const whole = await readerOf(newModel(parts));
    expect(pulls).toBe(0);
    expect((await whole.read()).value).toBe(parts[0]);
    expect(pulls).toBe(1);
    await whole.read();
    const last = await whole.read();
    expect(last.value).toBe(parts[2]);
    expect(recorded.calls[0]?.response).toMatchObject({
      ending: 'completed',
      id: 'msg_1',
      model: 'claude-opus-5-1',
      usage: { input_tokens: 7 },
    });
    expect((await whole.read()).done).toBe(true);
    expect(pulls).toBe(4);

    const left = await readerOf(newModel(parts));
    await left.read();
    await left.cancel('enough');
    expect(canceledWith).toBe('enough');

    const cut = await readerOf(newModel(parts.slice(0, 2)));
    while (!(await cut.read()).done);

    const broken = new TypeError('terminated');
    const failing = await readerOf(newModel([], broken));
    expect(await failing.read().catch((error: unknown) => error)).toBe(broken);
    expect(await failing.closed.catch((error: unknown) => error)).toBe(broken);

    const refused = await readerOf(
      newModel([{ type: 'error', error: { type: 'overloaded_error' } }, ...parts]),
    );
    while (!(await refused.read()).done);
    expect(recorded.calls.map(({ response }) => [response.ending, response.error?.type])).toEqual([
      ['completed', undefined],
      ['canceled', undefined],
      ['failed', 'stream_truncated'],
      ['failed', 'TypeError'],
      ['failed', 'overloaded_error'],
    ]);
  });

  it('ends the record of a stream that nobody reads', async () => {
    recorded = recordCalls({ abandonedAfterMs: 20 });
    await observe(wrapped()).doStream(PROMPT);
    const [call] = await recorded.ended(1);
    expect(call?.response.ending).toBe('canceled');
  });
});

describe('google of AI SDK 7', () => {
  it('records generateText and streamText, with the model from the address', async () => {
    const google = await startScriptedServer();
    const answer = {
      responseId: 'r1',
      modelVersion: 'gemini-3.5-flash-001',
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 20, cachedContentTokenCount: 5, candidatesTokenCount: 2 },
    };
    for (const observedModel of [
      observe(GOOGLE_TARGET.model(GOOGLE_TARGET.newProvider(google.url))),
      observe(
        wrapLanguageModel({
          model: GOOGLE_TARGET.model(GOOGLE_TARGET.newProvider(google.url)) as never,
          middleware: {},
        }),
      ),
    ]) {
      google.script([jsonReply(answer)]);
      await generateText({ model: observedModel, prompt: 'Hi' });
      google.script([eventReply([{ data: answer }])]);
      await streamText({ model: observedModel, prompt: 'Hi' }).consumeStream();
    }
    await recorded.recorder.flush();
    await google.close();
    expect(recorded.calls).toHaveLength(4);
    for (const { request, response } of recorded.calls) {
      expect(request).toMatchObject({ api: 'google.generateContent', model: 'gemini-3.5-flash' });
      expect(response).toMatchObject({ ending: 'completed', usage: answer.usageMetadata });
    }
  });
});
