import { ChatAnthropic } from '@langchain/anthropic';
import { InMemoryCache } from '@langchain/core/caches';
import { type AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { ChatOpenAI } from '@langchain/openai';
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { type ModelServer, startModelServer } from '../../../src/model-server/index.ts';
import { observeClient } from '../../../src/observe/observe-client.ts';
import { observeFetchWith } from '../../../src/observe/observe-fetch.ts';
import { withScope } from '../../../src/observe/scope.ts';
import { readUsage } from '../../../src/prompt/usage.ts';
import { LANGCHAIN_TARGETS } from '../../support/langchain-targets.ts';
import { jsonReply } from '../../support/model-replies.ts';
import { type RecordedCalls, recordCalls } from '../../support/recorded-calls.ts';
import { startScriptedServer } from '../../support/scripted-server.ts';

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const lookUp = tool(async () => '18 degrees', {
  name: 'lookUp',
  description: 'Looks up the weather.',
  schema: SCHEMA as never,
});

let server: ModelServer;
let recorded: RecordedCalls;
beforeAll(async () => {
  server = await startModelServer({
    reply: ({ body }) => {
      const text = JSON.stringify(body);
      // The tool was offered and has not answered yet: call it.
      if (!text.includes('lookUp') || text.includes('18 degrees')) return { text: 'Hello there' };
      return { toolCalls: [{ name: 'lookUp', input: { city: 'Basel' } }] };
    },
  });
});
afterAll(() => server.close());
beforeEach(() => {
  recorded = recordCalls();
});

function observe<Client extends object>(client: Client, options = {}): Client {
  return observeClient(client, options, () => recorded.recorder);
}

function sentSince(count: number): string[] {
  return server.requests.slice(count).map(({ bodyText }) => bodyText);
}

for (const { name, api, newModel } of LANGCHAIN_TARGETS) {
  describe(name, () => {
    it('is recorded once a call, with the body as sent and the usage as returned', async () => {
      const before = server.requests.length;
      const message = await observe(newModel(server.url)).invoke('Hi');
      expect(message.text).toBe('Hello there');
      await recorded.recorder.flush();
      expect(recorded.started.map(({ body }) => body)).toEqual(sentSince(before));
      expect(recorded.calls).toHaveLength(1);
      expect(recorded.calls[0]).toMatchObject({
        request: { api },
        response: { ending: 'completed', status: 200, usage: server.requests[before]?.usage },
      });
    });

    it('is recorded when it streams', async () => {
      const before = server.requests.length;
      let text = '';
      for await (const chunk of await observe(newModel(server.url)).stream('Hi')) text += chunk.text;
      expect(text).toBe('Hello there');
      await recorded.recorder.flush();
      expect(recorded.started.map(({ body }) => body)).toEqual(sentSince(before));
      expect(recorded.calls).toHaveLength(1);
      const [call] = recorded.calls;
      expect(call?.response.ending).toBe('completed');
      const { input } = readUsage(api, server.requests[before]?.usage) ?? {};
      expect(readUsage(api, call?.response.usage)?.input).toBe(input);
    });

    it('is recorded when a stream is left', async () => {
      // ChatBedrockConverse leaves its connection open then, observed or not: nobody ends the response but the time.
      if (api === 'bedrock.converse') recorded = recordCalls({ abandonedAfterMs: 50 });
      server.failNext({ kind: 'endless' });
      for await (const _ of await observe(newModel(server.url)).stream('Hi')) break;
      await recorded.ended(1);
      expect(recorded.calls[0]?.response.ending).toBe('canceled');
    });

    it('is recorded when an agent runs on a model with tools, bound before or after', async () => {
      const before = server.requests.length;
      for (const agent of [
        observe(newModel(server.url)).bindTools?.([lookUp]),
        observe(newModel(server.url).bindTools?.([lookUp]) as object) as ReturnType<
          NonNullable<ReturnType<typeof newModel>['bindTools']>
        >,
      ]) {
        const question = new HumanMessage('How warm is it in Basel?');
        const call = (await agent?.invoke([question])) as AIMessage;
        expect(call.tool_calls).toMatchObject([{ name: 'lookUp', args: { city: 'Basel' } }]);
        const result = new ToolMessage({
          content: await lookUp.invoke({ city: 'Basel' }),
          tool_call_id: call.tool_calls?.[0]?.id ?? '',
        });
        const answer = await agent?.invoke([question, call, result]);
        expect(answer?.text).toBe('Hello there');
      }
      await recorded.recorder.flush();
      expect(recorded.calls).toHaveLength(4);
      expect(recorded.started.map(({ body }) => body)).toEqual(sentSince(before));
    });

    it('is recorded with structured output', async () => {
      const model = observe(newModel(server.url)).withStructuredOutput(SCHEMA, {
        name: 'lookUp',
        method: 'functionCalling',
      });
      expect(await model.invoke('How warm is it in Basel?')).toEqual({ city: 'Basel' });
      await recorded.recorder.flush();
      expect(recorded.calls).toHaveLength(1);
    });

    it('is recorded with its retry', async () => {
      server.failNext({ kind: 'status', status: 500 });
      await observe(newModel(server.url, { maxRetries: 1 })).invoke('Hi');
      await recorded.recorder.flush();
      // LangChain's own retries start the SDK's count anew, and so are two calls.
      const isCounted = api === 'bedrock.converse';
      expect(recorded.calls.map(({ response }) => response.ending).sort()).toEqual(
        isCounted ? ['completed'] : ['completed', 'failed'],
      );
    });

    it('is recorded when it fails', async () => {
      server.failNext({ kind: 'status', status: 400 });
      await expect(observe(newModel(server.url, { maxRetries: 0 })).invoke('Hi')).rejects.toThrow();
      await recorded.recorder.flush();
      expect(recorded.calls.map(({ response }) => [response.ending, response.status])).toEqual([
        ['failed', 400],
      ]);
    });

    it('keeps class, settings, callbacks and cache key, and leaves the argument as it was', async () => {
      const ends: string[] = [];
      const cache = new InMemoryCache();
      const settings = {
        cache,
        tags: ['test'],
        callbacks: [{ handleLLMEnd: () => void ends.push('end') }],
      };
      const model = newModel(server.url, settings);
      const before = Object.getOwnPropertyDescriptors(model);
      const observed = observe(model);
      expect(observed).toBeInstanceOf(model.constructor);
      expect(observed.constructor).toBe(model.constructor);
      expect(JSON.stringify(observed)).toBe(JSON.stringify(model));
      await observed.invoke('Hi');
      // The answer of the observed model is found by the one that is not.
      await model.invoke('Hi');
      await recorded.recorder.flush();
      expect(recorded.calls).toHaveLength(1);
      expect(ends).toEqual(['end', 'end']);
      expect(Object.keys(Object.getOwnPropertyDescriptors(model))).toEqual(Object.keys(before));
    });

    it('is observed once, and gains scopes', async () => {
      const observed = observe(observe(newModel(server.url), { scope: { thread: 't' } }), {
        scope: { phase: 'worker' },
      });
      await withScope({ delegation: 'd' }, () => observed.invoke('Hi'));
      await recorded.recorder.flush();
      expect(recorded.opened.map(({ scope }) => scope)).toEqual([
        { thread: 't', phase: 'worker', delegation: 'd' },
      ]);
    });

    it('lets no credential into the record', async () => {
      await observe(newModel(server.url)).invoke('Hi');
      await recorded.recorder.flush();
      expect(recorded.started).toHaveLength(1);
      expect(JSON.stringify([recorded.started, recorded.calls])).not.toContain('secret-key');
    });
  });
}

describe('LangChain', () => {
  const newModel = () =>
    new ChatOpenAI({ apiKey: 'k', model: 'gpt-4.1', configuration: { baseURL: `${server.url}/v1` } });

  it('keeps the types of models and bindings', () => {
    const model = newModel();
    expectTypeOf(observe(model)).toEqualTypeOf(model);
    const bound = new ChatAnthropic({ apiKey: 'k', model: 'claude-opus-5' }).bindTools([lookUp]);
    expectTypeOf(observe(bound)).toEqualTypeOf(bound);
  });

  it('observes a model that has made its client already', async () => {
    const model = newModel();
    await model.invoke('Hi');
    await observe(model).invoke('Hi');
    await model.invoke('Hi');
    await recorded.recorder.flush();
    expect(recorded.calls).toHaveLength(1);
  });

  it('says what to do with a chain', () => {
    const chain = newModel().pipe((message: AIMessage) => message.text);
    expect(() => observe(chain)).toThrow('observe the model first, then chain it');
  });

  it('leaves a client that it cannot observe as it is, which a patched global fetch still sees', async () => {
    const google = await startScriptedServer();
    google.script([
      jsonReply({
        candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 2 },
      }),
    ]);
    const model = new ChatGoogleGenerativeAI({ apiKey: 'k', model: 'gemini-3.5-flash', baseUrl: google.url });
    expect(observe(model)).toBe(model);
    const { fetch: globalFetch } = globalThis;
    globalThis.fetch = observeFetchWith(globalFetch, () => recorded.recorder);
    try {
      expect((await model.invoke('Hi')).text).toBe('Hello');
    } finally {
      globalThis.fetch = globalFetch;
    }
    await recorded.recorder.flush();
    await google.close();
    expect(recorded.calls).toMatchObject([
      {
        request: { api: 'google.generateContent', model: 'gemini-3.5-flash' },
        response: { ending: 'completed' },
      },
    ]);
  });
});
