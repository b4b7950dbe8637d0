import { GoogleGenAI, type GoogleGenAIOptions } from '@google/genai';
import { afterAll, afterEach, beforeAll, expect, expectTypeOf, it, vi } from 'vitest';
import { createEngine } from '../../../src/diagnose.ts';
import { type ModelServer, startModelServer } from '../../../src/model-server/index.ts';
import { observeClient } from '../../../src/observe/observe-client.ts';
import { collect } from '../../support/attempts.ts';
import { type RecordedCalls, recordCalls } from '../../support/recorded-calls.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());
afterEach(() => vi.unstubAllGlobals());

const MODEL = 'gemini-3.5-flash';

function observed(
  options: GoogleGenAIOptions = {},
  recorderOptions: Parameters<typeof recordCalls>[0] = {},
): RecordedCalls & { readonly client: GoogleGenAI } {
  const recorded = recordCalls(recorderOptions);
  const client = new GoogleGenAI({ apiKey: 'k', ...options, httpOptions: { baseUrl: server.url } });
  return { ...recorded, client: observeClient(client, {}, () => recorded.recorder) };
}

it('keeps the type', () => {
  expectTypeOf(observed().client).toEqualTypeOf<GoogleGenAI>();
});

it('records plain calls, streams and the turns of a chat, with their model', async () => {
  const { client, ended } = observed();
  await client.models.generateContent({ model: MODEL, contents: 'hi' });
  await collect(await client.models.generateContentStream({ model: MODEL, contents: 'hi' }));
  const chat = client.chats.create({ model: MODEL });
  await chat.sendMessage({ message: 'one' });
  await collect(await chat.sendMessageStream({ message: 'two' }));
  const calls = await ended(4);
  expect(calls).toHaveLength(4);
  for (const [at, { request, response }] of calls.entries()) {
    expect(request).toMatchObject({ api: 'google.generateContent', model: MODEL });
    expect(response).toMatchObject({ ending: 'completed', model: MODEL });
    expect(response.usage).toEqual(server.requests.at(at - 4)?.usage);
  }
});

it('reads the cache in what it records: a repeated start is a hit, a changed one is found', async () => {
  const { client, calls, ended } = observed({}, { engine: createEngine() });
  const text = 'A long story about a house plant. '.repeat(800);
  const ask = (systemInstruction: string) =>
    client.models.generateContent({ model: MODEL, contents: 'hi', config: { systemInstruction } });
  await ask(text);
  await ask(text);
  await ask(`At 10:42:07 on 2026-12-01. ${text}`);
  await ended(3);
  const diagnoses = calls.map(({ result }) => ('diagnosis' in result ? result.diagnosis : null));
  expect(diagnoses.map((each) => each?.finding)).toEqual([false, false, true]);
  expect(diagnoses[1]?.tokens.cacheRead).toBeGreaterThan(4096);
  expect(diagnoses[2]?.divergence?.path).toBe('systemInstruction.parts[0].text');
});

it.each([
  ['with a key', { vertexai: true }, /^\/v1beta1\/publishers\/google\/models\//],
  [
    'with credentials of a project',
    {
      apiKey: undefined,
      vertexai: true,
      project: 'p',
      location: 'l',
      googleAuthOptions: {
        authClient: { getRequestHeaders: async () => new Headers({ authorization: 'Bearer token' }) },
      } as unknown as NonNullable<GoogleGenAIOptions['googleAuthOptions']>,
    },
    /^\/v1beta1\/projects\/p\/locations\/l\/publishers\/google\/models\//,
  ],
])('records Vertex %s', async (_, options, path) => {
  const { client, ended } = observed(options as GoogleGenAIOptions);
  await client.models.generateContent({ model: MODEL, contents: 'hi' });
  const [call] = await ended(1);
  expect(server.requests.at(-1)?.path).toMatch(path);
  expect(call?.request.model).toBe(MODEL);
  expect(JSON.stringify(call)).not.toContain('Bearer');
});

it('records nothing but generated content', async () => {
  const { client, opened } = observed();
  await client.models.countTokens({ model: MODEL, contents: 'hi' }).catch(() => {});
  await client.models.embedContent({ model: MODEL, contents: 'hi' }).catch(() => {});
  await client.caches.create({ model: MODEL, config: { contents: 'hi' } }).catch(() => {});
  expect(opened).toEqual([]);
});

it("keeps the SDK's own time limits, also when a scope is added, and those of a user's transport", async () => {
  const inits: unknown[] = [];
  const globalFetch = fetch;
  const spy: typeof fetch = (input, init) => {
    inits.push(init);
    return globalFetch(input, init);
  };
  vi.stubGlobal('fetch', spy);
  const { client, recorder } = observed();
  const scoped = observeClient(client, { scope: { phase: 'planner' } }, () => recorder);
  const overOwn = observeClient(
    new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: server.url, fetch: spy } }),
    {},
    () => recorder,
  );
  for (const each of [client, scoped, overOwn]) {
    await each.models.generateContent({ model: MODEL, contents: 'hi' });
  }
  expect(inits.map((init) => 'dispatcher' in (init as object))).toEqual([true, true, false]);
});

it('shares all parts that call no model with the client', () => {
  const client = new GoogleGenAI({ apiKey: 'k' });
  const copy = observeClient(client, {}, () => recordCalls().recorder);
  const shared = Object.keys(client).filter((name) => Reflect.get(client, name) === Reflect.get(copy, name));
  expect(Object.keys(client).filter((name) => !shared.includes(name))).toEqual(['models', 'chats']);
});

it('leaves a client as it is whose version takes no transport', () => {
  const client = new GoogleGenAI({ apiKey: 'k' });
  const { apiClient } = client.models as unknown as { apiClient: object };
  Object.defineProperty(apiClient, 'getFetch', { value: undefined });
  expect(observeClient(client, {}, () => recordCalls().recorder)).toBe(client);
});
