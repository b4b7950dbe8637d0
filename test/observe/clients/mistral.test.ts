import { HTTPClient, Mistral } from '@mistralai/mistralai';
import { afterAll, beforeAll, expect, expectTypeOf, it } from 'vitest';
import { observeClient } from '../../../src/observe/observe-client.ts';
import { chatCompletion, jsonReply } from '../../support/model-replies.ts';
import { type RecordedCalls, recordCalls } from '../../support/recorded-calls.ts';
import { type ScriptedServer, startScriptedServer } from '../../support/scripted-server.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

const REQUEST = { model: 'mistral-large-latest', messages: [{ role: 'user' as const, content: 'hi' }] };

function observed(httpClient?: HTTPClient): RecordedCalls & { readonly client: Mistral } {
  server.script([jsonReply(chatCompletion({ content: 'Hello' }))]);
  const recorded = recordCalls();
  const client = new Mistral({ apiKey: 'k', serverURL: server.url, ...(httpClient && { httpClient }) });
  return { ...recorded, client: observeClient(client, {}, () => recorded.recorder) };
}

it('keeps the type', () => {
  expectTypeOf(observed().client).toEqualTypeOf<Mistral>();
});

it('does not build the parts of the client that it is given', () => {
  const client = new Mistral({ apiKey: 'k' });
  const before = JSON.stringify(Object.entries(client).map(([name, value]) => [name, typeof value]));
  observeClient(client, {}, () => recordCalls().recorder);
  expect(JSON.stringify(Object.entries(client).map(([name, value]) => [name, typeof value]))).toBe(before);
});

it('records what leaves behind the hooks of an HTTPClient', async () => {
  const httpClient = new HTTPClient();
  const changed = JSON.stringify({ ...REQUEST, messages: [{ role: 'user', content: 'changed' }] });
  httpClient.addHook('beforeRequest', (request) => new Request(request, { body: changed }));
  const { client, ended } = observed(httpClient);
  await client.chat.complete(REQUEST);
  const [call] = await ended(1);
  expect(server.received[0]?.body).toBe(changed);
  expect(call?.request.body).toBe(changed);
});

it('records around a subclass of HTTPClient, once, and leaves it whole', async () => {
  class CountingClient extends HTTPClient {
    #requests = 0;
    override request(request: Request): Promise<Response> {
      this.#requests++;
      return super.request(request);
    }
    get requests(): number {
      return this.#requests;
    }
  }
  const httpClient = new CountingClient();
  const { client, ended, recorder, calls } = observed(httpClient);
  await observeClient(client, { scope: { phase: 'planner' } }, () => recorder).chat.complete(REQUEST);
  await ended(1);
  expect(httpClient.requests).toBe(1);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.request.scope).toEqual({ phase: 'planner' });
});

it('records nothing but chat completions', async () => {
  const { client, opened } = observed();
  await client.beta.conversations.start({ model: 'm', inputs: 'hi' }).catch(() => {});
  await client.embeddings.create({ model: 'm', inputs: ['hi'] }).catch(() => {});
  await client.fim.complete({ model: 'codestral-latest', prompt: 'def' }).catch(() => {});
  expect(server.received).toHaveLength(3);
  expect(opened).toEqual([]);
});

it('leaves a client as it is whose constructor makes nothing of our transport', () => {
  class FixedMistral extends Mistral {
    constructor() {
      super({ apiKey: 'k', serverURL: server.url });
    }
  }
  const client = new FixedMistral();
  expect(observeClient(client, {}, () => recordCalls().recorder)).toBe(client);
});
