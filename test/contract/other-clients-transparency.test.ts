/**
 * As `transparency.test.ts`, for the clients of no common generator: every case runs with and without `observe` and must end
 * the same, in results, bytes and headers sent, errors, reads of the body, and rejections without an owner.
 */
import type { GoogleGenAI } from '@google/genai';
import { HTTPClient, Mistral } from '@mistralai/mistralai';
import { MistralCore } from '@mistralai/mistralai/core.js';
import { chatComplete } from '@mistralai/mistralai/funcs/chatComplete.js';
import { Ollama } from 'ollama';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observeClient } from '../../src/observe/observe-client.ts';
import type { Recorder } from '../../src/observe/recorder.ts';
import { brokenBody } from '../support/api-replies.ts';
import { type Attempt, attempt, collect, countingTransport } from '../support/attempts.ts';
import { hostileRecorder } from '../support/hostile-recorder.ts';
import { OTHER_TARGETS, type OtherTarget } from '../support/other-targets.ts';
import { recordCalls } from '../support/recorded-calls.ts';
import { type ScriptedReply, type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

interface Case {
  readonly name: string;
  replies(target: OtherTarget): readonly ScriptedReply[];
  run(target: OtherTarget, client: object): Promise<unknown>;
  /** Needs the timing of a real connection, which a transport with a finished body has not. */
  readonly isNetworkOnly?: boolean;
  readonly breaksWith?: Error;
}

const CASES: readonly Case[] = [
  {
    name: 'a plain call',
    replies: (target) => [target.jsonReply],
    run: (target, client) => target.create(client, 'hi'),
  },
  {
    name: 'a stream read to its end',
    replies: (target) => [target.streamReply()],
    run: async (target, client) => collect(await target.stream(client, 'hi')),
  },
  {
    name: 'a second iteration of one stream',
    replies: (target) => [target.streamReply()],
    async run(target, client) {
      const stream = await target.stream(client, 'hi');
      await collect(stream);
      return collect(stream);
    },
  },
  {
    name: 'an early break',
    replies: (target) => [target.streamReply()],
    run: async (target, client) => collect(await target.stream(client, 'hi'), 2),
  },
  {
    name: 'an early break while the server keeps the stream open',
    isNetworkOnly: true,
    replies: (target) => [target.streamReply('hang', 3)],
    run: async (target, client) => collect(await target.stream(client, 'hi'), 1),
  },
  {
    name: 'an abort before there is a response',
    isNetworkOnly: true,
    replies: () => [{ chunks: [], afterwards: 'hang' }],
    async run(target, client) {
      if (!target.takesSignal) return 'has no signal';
      const controller = new AbortController();
      const pending = target.create(client, 'hi', { signal: controller.signal });
      pending.catch(() => {});
      while (server.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      return pending;
    },
  },
  {
    name: 'an abort in the middle of a stream',
    isNetworkOnly: true,
    replies: (target) => [target.streamReply('hang', 3)],
    async run(target, client) {
      const controller = new AbortController();
      const stream = await target.stream(client, 'hi', { signal: controller.signal });
      let events = 0;
      for await (const _ of stream) {
        events++;
        if (target.takesSignal) controller.abort();
        else (stream as unknown as AbortController).abort();
      }
      return events;
    },
  },
  {
    name: 'a connection cut in the middle of a stream',
    isNetworkOnly: true,
    replies: (target) => [target.streamReply('destroy', 3)],
    run: async (target, client) => collect(await target.stream(client, 'hi')),
  },
  {
    name: 'a body that breaks in the middle of a stream',
    breaksWith: brokenBody,
    replies: (target) => [target.streamReply('end', 3)],
    run: async (target, client) => collect(await target.stream(client, 'hi')),
  },
  {
    name: 'a body that breaks in the middle of a JSON answer',
    breaksWith: brokenBody,
    replies: (target) => [target.jsonReply],
    run: (target, client) => target.create(client, 'hi'),
  },
  {
    name: 'a stream that ends before its terminal event',
    replies: (target) => [target.streamReply('end', 3)],
    run: async (target, client) => collect(await target.stream(client, 'hi')),
  },
  {
    name: 'an error in a stream',
    replies(target) {
      const { chunks, ...reply } = target.streamReply('end', 2);
      return [{ ...reply, chunks: [...chunks, target.errorChunk] }];
    },
    run: async (target, client) => collect(await target.stream(client, 'hi')),
  },
  {
    name: 'a stream that is never read',
    replies: (target) => [target.streamReply()],
    run: async (target, client) => typeof (await target.stream(client, 'hi')),
  },
  {
    name: 'a rejected request',
    replies: (target) => [target.errorReply(400)],
    run: (target, client) => target.create(client, 'hi'),
  },
  {
    name: 'a rejected stream',
    replies: (target) => [target.errorReply(503)],
    run: (target, client) => target.stream(client, 'hi'),
  },
  {
    name: 'an answer that is no JSON',
    replies: () => [{ headers: { 'content-type': 'application/json' }, chunks: ['{"id": "x", '] }],
    run: (target, client) => target.create(client, 'hi'),
  },
  {
    name: '100 concurrent calls',
    replies: (target) => [target.jsonReply],
    run: (target, client) =>
      Promise.all(Array.from({ length: 100 }, (_, at) => target.create(client, `hi ${at}`))),
  },
];

const RECORDERS: readonly { readonly name: string; newRecorder(): Recorder }[] = [
  { name: 'a recorder that works', newRecorder: () => recordCalls().recorder },
  { name: 'an engine and a sink that throw at every step', newRecorder: hostileRecorder },
];

for (const target of OTHER_TARGETS) {
  describe.each(RECORDERS)(`${target.name} observed by $name`, ({ newRecorder }) => {
    for (const testCase of CASES) {
      if (testCase.breaksWith === undefined) {
        it(`does not change ${testCase.name}, over the client's own fetch`, async () => {
          await expectTransparent(testCase.replies(target), () => target.newClient(server.url), {
            newRecorder,
            run: (client) => testCase.run(target, client),
          });
        });
      }
      if (testCase.isNetworkOnly) continue;
      it(`does not change ${testCase.name}, over a transport of the user`, async () => {
        await expectTransparent(
          testCase.replies(target),
          (counts) => target.newClient(server.url, countingTransport(counts, testCase.breaksWith)),
          { newRecorder, run: (client) => testCase.run(target, client) },
        );
      });
    }
  });
}

const [ollama, mistral, google] = OTHER_TARGETS as [OtherTarget, OtherTarget, OtherTarget];

describe('what only ollama has', () => {
  it('does not change abort(), on the client that is used', async () => {
    await expectTransparent([ollama.streamReply('hang', 3)], () => ollama.newClient(server.url), {
      async run(client) {
        const stream = await ollama.stream(client, 'hi');
        let events = 0;
        for await (const _ of stream) {
          events++;
          (client as Ollama).abort();
        }
        return events;
      },
    });
  });

  it('ends the streams of the copy by abort() on the original, and the other way around', async () => {
    server.script([ollama.streamReply('hang', 3)]);
    const original = new Ollama({ host: server.url });
    const copy = observeClient(original, {}, () => recordCalls().recorder);
    for (const [streaming, aborting] of [
      [copy, original],
      [original, copy],
    ] as const) {
      const events = collect(await ollama.stream(streaming, 'hi'));
      aborting.abort();
      await expect(events).rejects.toThrow('aborted');
    }
  });

  it.each(['embed', 'list'] as const)('does not change %s()', async (method) => {
    const reply = { chunks: [JSON.stringify({ models: [], embeddings: [[1]] })] };
    await expectTransparent([reply], () => ollama.newClient(server.url), {
      run: (client) => (client as Ollama)[method]({ model: 'm', input: 'x' }),
    });
  });
});

describe('what only Mistral has', () => {
  const messages = [{ role: 'user' as const, content: 'hi' }];

  it('does not change the hooks of an HTTPClient, also those that are added later', async () => {
    const seen: string[] = [];
    await expectTransparent(
      [mistral.errorReply(400)],
      () => {
        const httpClient = new HTTPClient();
        httpClient.addHook('beforeRequest', (request) => {
          const next = new Request(request);
          next.headers.set('x-team', 'search');
          return next;
        });
        const client = new Mistral({ apiKey: 'k', serverURL: server.url, httpClient });
        return Object.assign(client, { httpClient });
      },
      {
        async run(client) {
          const { httpClient } = client as unknown as { httpClient?: HTTPClient };
          httpClient?.addHook('response', async (response, request) => {
            seen.push(`${response.status} ${request.headers.get('x-team')} ${await response.clone().text()}`);
          });
          return (client as Mistral).chat.complete({ model: 'm', messages });
        },
        keep: ['httpClient'],
      },
    );
    expect(seen).toHaveLength(2);
    expect(seen[1]).toBe(seen[0]);
  });

  it('does not change an HTTPClient of a class with private fields', async () => {
    class CountingClient extends HTTPClient {
      #requests = 0;
      override request(request: Request): Promise<Response> {
        this.#requests++;
        request.headers.set('x-count', String(this.#requests));
        return super.request(request);
      }
    }
    await expectTransparent(
      [mistral.jsonReply],
      () => new Mistral({ apiKey: 'k', serverURL: server.url, httpClient: new CountingClient() }),
      {
        async run(client) {
          await mistral.create(client, 'one');
          return mistral.create(client, 'two');
        },
      },
    );
  });

  it('does not change its retries', async () => {
    const retryConfig = {
      strategy: 'backoff' as const,
      backoff: { initialInterval: 1, maxInterval: 2, exponent: 1, maxElapsedTime: 1000 },
      retryConnectionErrors: true,
    };
    await expectTransparent(
      [mistral.errorReply(503), mistral.errorReply(429), mistral.jsonReply],
      () => new Mistral({ apiKey: 'k', serverURL: server.url, retryConfig }),
      { run: (client) => mistral.create(client, 'hi') },
    );
  });

  it('does not change a key that is fetched for each call, a time limit, or another server for one call', async () => {
    await expectTransparent(
      [{ chunks: [], afterwards: 'hang' }],
      () => new Mistral({ apiKey: async () => 'key-of-now', serverURL: 'http://127.0.0.1:1' }),
      {
        run: (client) =>
          (client as Mistral).chat.complete(
            { model: 'm', messages },
            { serverURL: server.url, timeoutMs: 20, headers: { 'x-team': 'search' } },
          ),
      },
    );
  });

  it('does not change the beta resources, nor functions that take the client', async () => {
    const reply = { chunks: [JSON.stringify({ message: 'no' })], status: 400 };
    await expectTransparent([reply], () => mistral.newClient(server.url), {
      run: (client) => (client as Mistral).beta.conversations.start({ model: 'm', inputs: 'hi' }),
    });
    await expectTransparent([mistral.jsonReply], () => mistral.newClient(server.url), {
      async run(client) {
        expect(client).toBeInstanceOf(MistralCore);
        const { ok, value } = await chatComplete(client as Mistral, { model: 'm', messages });
        return { ok, value };
      },
    });
  });
});

describe('what only Google has', () => {
  it('does not change a chat, nor its history', async () => {
    await expectTransparent([google.jsonReply, google.streamReply()], () => google.newClient(server.url), {
      async run(client) {
        const chat = (client as GoogleGenAI).chats.create({ model: 'gemini-3.5-flash' });
        await chat.sendMessage({ message: 'one' });
        await collect(await chat.sendMessageStream({ message: 'two' }));
        return chat.getHistory();
      },
    });
  });

  it('does not change functions that it calls by itself', async () => {
    const call = { functionCall: { name: 'add', args: { a: 40, b: 2 } } };
    const asked = { candidates: [{ content: { role: 'model', parts: [call] }, finishReason: 'STOP' }] };
    const add = {
      tool: async () => ({ functionDeclarations: [{ name: 'add', description: 'Adds.' }] }),
      callTool: async () => [{ functionResponse: { name: 'add', response: { output: 42 } } }],
    };
    await expectTransparent(
      [{ chunks: [JSON.stringify(asked)] }, google.jsonReply],
      () => google.newClient(server.url),
      {
        run: (client) =>
          (client as GoogleGenAI).models.generateContent({
            model: 'gemini-3.5-flash',
            contents: 'What is it?',
            config: { tools: [add] },
          }),
      },
    );
  });

  it('does not change caches, token counts and the next generation of the API', async () => {
    const reply = { chunks: [JSON.stringify({ name: 'cachedContents/1', totalTokens: 3 })] };
    await expectTransparent([reply], () => google.newClient(server.url), {
      async run(client) {
        const { caches, models, interactions } = client as GoogleGenAI;
        const cache = await caches.create({ model: 'gemini-3.5-flash', config: { contents: 'long' } });
        const count = await models.countTokens({ model: 'gemini-3.5-flash', contents: 'hi' });
        const next = await interactions.create({ model: 'gemini-3.5-flash', input: 'hi' }).catch(String);
        return { cache, count, next };
      },
    });
  });

  it('does not change options for one call, nor retries', async () => {
    await expectTransparent([google.errorReply(503), google.jsonReply], () => google.newClient(server.url), {
      run: (client) =>
        (client as GoogleGenAI).models.generateContent({
          model: 'gemini-3.5-flash',
          contents: 'hi',
          config: {
            httpOptions: {
              headers: { 'x-team': 'search' },
              timeout: 5000,
              retryOptions: { attempts: 2, initialDelay: 0.001, jitter: 0 },
            },
          },
        }),
    });
  });
});

interface Run {
  readonly run: (client: object) => Promise<unknown>;
  readonly newRecorder?: () => Recorder;
  /** Fields that the test itself put on the client, to be handed on to the copy. */
  readonly keep?: readonly string[];
}

async function expectTransparent(
  replies: readonly ScriptedReply[],
  newClient: (counts: { pulls: number; cancels: number }) => object,
  { run, newRecorder = () => recordCalls().recorder, keep = [] }: Run,
): Promise<void> {
  const runWith = (wrap: (client: object) => object): Promise<Attempt> => {
    const counts = { pulls: 0, cancels: 0 };
    const client = newClient(counts);
    const wrapped = wrap(client);
    for (const name of keep) Reflect.set(wrapped, name, Reflect.get(client, name));
    return attempt(server, replies, counts, async () => comparable(await run(wrapped)));
  };
  const plain = await runWith((client) => client);
  const recorder = newRecorder();
  const observed = await runWith((client) => {
    const copy = observeClient(client, {}, () => recorder);
    expect(copy).not.toBe(client);
    expect(copy).toBeInstanceOf(client.constructor);
    return copy;
  });
  expect(inOrder(observed)).toEqual(inOrder(plain));
  expect(observed.unhandledRejections).toEqual([]);
}

/** Google hands out the headers of the response, and two runs may fall into two seconds. */
function comparable(value: unknown): unknown {
  if (value === undefined) return undefined;
  return JSON.parse(JSON.stringify(value, (name, field: unknown) => (name === 'date' ? undefined : field)));
}

/** Concurrent requests arrive in any order. */
function inOrder(result: Attempt): Attempt {
  return { ...result, received: [...result.received].sort((a, b) => a.body.localeCompare(b.body)) };
}
