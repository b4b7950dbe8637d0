import { context, createContextKey, ROOT_CONTEXT } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { suppressTracing } from '@opentelemetry/core';
import OpenAI from 'openai';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { observeClient } from '../../src/observe/observe-client.ts';
import { observeFetchWith } from '../../src/observe/observe-fetch.ts';
import { anthropicMessage } from '../support/model-replies.ts';
import { recordCalls } from '../support/recorded-calls.ts';

const BODY = { model: 'claude-opus-5', max_tokens: 8, messages: [{ role: 'user' as const, content: 'hi' }] };
const answer = async (): Promise<Response> => Response.json(anthropicMessage([]));

afterEach(() => vi.unstubAllGlobals());

describe('observeFetch', () => {
  const post = (
    body: BodyInit,
    fetchLike: typeof globalThis.fetch,
    path = '/v1/messages',
  ): Promise<Response> => fetchLike(`https://api.example${path}`, { method: 'POST', body });

  it('records model calls of any client, and nothing else', async () => {
    const recorded = recordCalls();
    const fetch = observeFetchWith(answer, () => recorded.recorder);
    await (await post(JSON.stringify(BODY), fetch)).text();
    await (await post(new TextEncoder().encode(JSON.stringify(BODY)), fetch)).text();
    await post(JSON.stringify(BODY), fetch, '/v1/messages/count_tokens');
    await post(JSON.stringify(BODY), fetch, '/v1/messages/batches');
    await post('{"text":"lunch?"}', fetch, '/channels/7/messages');
    await fetch('https://api.example/v1/messages');
    expect(recorded.calls.map(({ request }) => request.body)).toEqual([
      JSON.stringify(BODY),
      JSON.stringify(BODY),
    ]);
  });

  it('hands on the very promise and arguments of what it does not record', async () => {
    const response = answer();
    const inner = vi.fn(() => response);
    const fetch = observeFetchWith(inner, () => recordCalls().recorder);
    const init = { method: 'POST', body: new URLSearchParams({ messages: 'model' }) };
    expect(fetch('https://api.example/v1/messages', init)).toBe(response);
    expect(inner.mock.calls).toEqual([['https://api.example/v1/messages', init]]);
  });

  it('records what a Request object carries, whose body is left to the transport', async () => {
    const recorded = recordCalls();
    const inner = vi.fn(
      async (input: Parameters<typeof fetch>[0]) => new Response(await (input as Request).text()),
    );
    const fetch = observeFetchWith(inner as typeof globalThis.fetch, () => recorded.recorder);
    const request = new Request('https://api.example/v1/messages', {
      method: 'POST',
      body: JSON.stringify(BODY),
    });
    expect(await (await fetch(request)).json()).toEqual(BODY);
    const [call] = await recorded.ended(1);
    expect(call?.request).toMatchObject({ api: 'anthropic.messages', body: JSON.stringify(BODY) });
    expect(call?.response.ending).toBe('completed');
    expect(inner.mock.calls).toEqual([[request]]);
  });

  it('never copies a Request that is no model call, nor one whose body has been taken', async () => {
    const recorded = recordCalls();
    const inner = vi.fn(async () => new Response('{}'));
    const fetch = observeFetchWith(inner, () => recorded.recorder);
    const requestTo = (path: string) =>
      new Request(`https://api.example${path}`, { method: 'POST', body: JSON.stringify(BODY) });
    const upload = requestTo('/v1/files');
    const used = requestTo('/v1/messages');
    await used.text();
    const clones = [vi.spyOn(upload, 'clone'), vi.spyOn(used, 'clone')];
    await fetch(upload);
    await fetch(used);
    expect(clones.map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
    expect(recorded.calls).toHaveLength(0);
  });

  it('keeps a synchronous throw synchronous', () => {
    const boom = new Error('bad url');
    const fetch = observeFetchWith(
      () => {
        throw boom;
      },
      () => recordCalls().recorder,
    );
    expect(() => fetch('https://api.example/v1/messages')).toThrow(boom);
  });

  it('dispatches before anything else, and survives a recorder that cannot be had', async () => {
    const order: string[] = [];
    const fetch = observeFetchWith(
      () => {
        order.push('dispatch');
        return answer();
      },
      () => {
        order.push('recorder');
        throw new Error('no recorder');
      },
    );
    const response = await post(JSON.stringify(BODY), fetch);
    expect(order).toEqual(['dispatch', 'recorder']);
    expect(await response.json()).toMatchObject({ id: 'msg_1' });
  });

  it('hands out hand-made responses untouched', async () => {
    const recorded = recordCalls();
    const stub = { ok: true, status: 200, headers: new Headers(), json: async () => ({ id: 'x' }) };
    const fetch = observeFetchWith(
      async () => stub as unknown as Response,
      () => recorded.recorder,
    );
    expect(await post(JSON.stringify(BODY), fetch)).toBe(stub);
    expect(await recorded.ended(1)).toHaveLength(1);
  });

  it('records once where the transport of the user ends in a recording global fetch', async () => {
    const recorded = recordCalls();
    vi.stubGlobal(
      'fetch',
      observeFetchWith(answer, () => recorded.recorder),
    );
    const client = new OpenAI({ apiKey: 'k', fetch: async (input, init) => globalThis.fetch(input, init) });
    const observed = observeClient(client, { scope: { phase: 'outer' } }, () => recorded.recorder);
    await observed.chat.completions.create({ model: 'm', messages: [] });
    expect(recorded.calls.map(({ request }) => request.scope)).toEqual([{ phase: 'outer' }]);
    await client.chat.completions.create({ model: 'm', messages: [] });
    expect(recorded.calls).toHaveLength(2);
  });

  it('records nothing where the host suppresses tracing', async () => {
    const recorded = recordCalls();
    const fetch = observeFetchWith(answer, () => recorded.recorder);
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    await context.with(suppressTracing(ROOT_CONTEXT), () => post(JSON.stringify(BODY), fetch));
    await context.with(ROOT_CONTEXT.setValue(createContextKey('other'), true), async () =>
      (await post(JSON.stringify(BODY), fetch)).text(),
    );
    context.disable();
    expect(recorded.opened).toHaveLength(1);
  });
});
