import Anthropic from 'anthropic-v0';
import Groq from 'groq-sdk';
import OpenAI, { AzureOpenAI } from 'openai-v4';
import OpenAIVersion5 from 'openai-v5';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { observeClient } from '../../../src/observe/observe-client.ts';
import { chatCompletion, jsonReply } from '../../support/model-replies.ts';
import { recordCalls } from '../../support/recorded-calls.ts';
import { type ScriptedServer, startScriptedServer } from '../../support/scripted-server.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

const REQUEST = { model: 'gpt-5.5', messages: [{ role: 'user' as const, content: 'hi' }] };
const observe = <Client extends object>(client: Client, options = {}): Client =>
  observeClient(client, options, () => recordCalls().recorder);

describe('a client of openai 4', () => {
  it('keeps its class and its type, and stays as it was', () => {
    const client = new OpenAI({ apiKey: 'k' });
    const { fetch } = client as unknown as { fetch: unknown };
    const copy = observe(client);
    expectTypeOf(copy).toEqualTypeOf<OpenAI>();
    expect(copy).not.toBe(client);
    expect(copy).toBeInstanceOf(OpenAI);
    expect(Reflect.get(client, 'fetch')).toBe(fetch);
    expect(Reflect.get(client.chat.completions, '_client')).toBe(client);
    expect(observe(copy)).toBe(copy);
  });

  it('has parts that all belong to the copy, however deep', () => {
    const copy = observe(new OpenAI({ apiKey: 'k' }));
    const owners = new Set<unknown>();
    let parts = 0;
    const visit = (part: object): void => {
      for (const value of Object.values(part)) {
        if (typeof value !== 'object' || value === null || !('_client' in value)) continue;
        owners.add(value._client);
        parts++;
        visit(value);
      }
    };
    visit(copy);
    expect(parts).toBeGreaterThan(40);
    expect([...owners]).toEqual([copy]);
  });

  it('keeps what the host did to a part', async () => {
    server.script([jsonReply(chatCompletion({ content: 'Hello' }))]);
    const client = new OpenAI({ apiKey: 'k', baseURL: server.url });
    const { completions } = client.chat;
    const create = completions.create.bind(completions);
    let calls = 0;
    completions.create = ((...parameters: Parameters<typeof create>) => {
      calls++;
      return create(...parameters);
    }) as typeof create;
    await observe(client).chat.completions.create(REQUEST);
    expect(calls).toBe(1);
  });

  it('is recorded for Azure, with its key, its deployment and its version of the API', async () => {
    server.script([jsonReply(chatCompletion({ content: 'Hello' }))]);
    const recorded = recordCalls();
    const azure = new AzureOpenAI({
      azureADTokenProvider: async () => 'token-of-now',
      endpoint: server.url,
      apiVersion: '2026-01-01',
      deployment: 'mine',
    });
    const copy = observeClient(azure, {}, () => recorded.recorder);
    expect(copy).toBeInstanceOf(AzureOpenAI);
    await copy.chat.completions.create(REQUEST);
    const [call] = await recorded.ended(1);
    expect(server.received[0]?.path).toBe('/openai/deployments/mine/chat/completions?api-version=2026-01-01');
    expect(server.received[0]?.headers).toContain('authorization: Bearer token-of-now');
    expect(call?.response).toMatchObject({ ending: 'completed', model: 'gpt-5.5-2026-04-01' });
    expect(JSON.stringify(call)).not.toContain('token-of-now');
  });

  it('gains a scope without being recorded twice', async () => {
    server.script([jsonReply(chatCompletion({ content: 'Hello' }))]);
    const { recorder, ended, calls } = recordCalls();
    const client = new OpenAI({ apiKey: 'k', baseURL: server.url });
    const copy = observeClient(client, {}, () => recorder);
    const scoped = observeClient(copy, { scope: { phase: 'planner' } }, () => recorder);
    await scoped.chat.completions.create(REQUEST);
    await ended(1);
    expect(calls.map(({ request }) => request.scope)).toEqual([{ phase: 'planner' }]);
  });
});

describe('clients with withOptions() of older and other packages', () => {
  it('keep their class and type', () => {
    const openai = observe(new OpenAIVersion5({ apiKey: 'k' }));
    expectTypeOf(openai).toEqualTypeOf<OpenAIVersion5>();
    expect(openai).toBeInstanceOf(OpenAIVersion5);
    const anthropic = observe(new Anthropic({ apiKey: 'k' }));
    expectTypeOf(anthropic).toEqualTypeOf<Anthropic>();
    expect(anthropic).toBeInstanceOf(Anthropic);
    const groq = observe(new Groq({ apiKey: 'k' }));
    expectTypeOf(groq).toEqualTypeOf<Groq>();
    expect(groq).toBeInstanceOf(Groq);
  });
});
