import Anthropic from '@anthropic-ai/sdk';
import { AzureOpenAI } from 'openai';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { observeClient } from '../../src/observe/observe-client.ts';
import { observeFetchWith } from '../../src/observe/observe-fetch.ts';
import { expectRebuild, withScope } from '../../src/observe/scope.ts';
import { anthropicMessage } from '../support/model-replies.ts';
import { nextTurn, recordCalls } from '../support/recorded-calls.ts';

const BODY = { model: 'claude-opus-5', max_tokens: 8, messages: [{ role: 'user' as const, content: 'hi' }] };
const answer = async (): Promise<Response> => Response.json(anthropicMessage([]));
const newClient = (fetch = vi.fn(answer)): Anthropic => new Anthropic({ apiKey: 'secret-key', fetch });

afterEach(() => vi.unstubAllEnvs());

describe('observe', () => {
  const recorded = recordCalls();
  const observe = <Client extends { withOptions(options: object): unknown }>(
    client: Client,
    options = {},
  ): Client => observeClient(client, options, () => recorded.recorder);

  it('copies the client and leaves the argument as it was', () => {
    const fetch = vi.fn(answer);
    const client = newClient(fetch);
    const observed = observe(client);
    expect(observed).not.toBe(client);
    expect(observed).toBeInstanceOf(Anthropic);
    expect(Reflect.get(client, 'fetch')).toBe(fetch);
  });

  it('observes once, also through withOptions() copies', async () => {
    const observed = observe(newClient());
    expect(observe(observed)).toBe(observed);
    const copy = observed.withOptions({ maxRetries: 0 });
    expect(observe(copy)).toBe(copy);
    const before = recorded.calls.length;
    await observe(observe(copy, { scope: { phase: 'planner' } })).messages.create(BODY);
    expect(recorded.calls).toHaveLength(before + 1);
    expect(recorded.calls.at(-1)?.request.scope).toEqual({ phase: 'planner' });
  });

  it('keeps the class of an Azure client', () => {
    const azure = new AzureOpenAI({ apiKey: 'k', endpoint: 'https://x.example', apiVersion: '2026-01-01' });
    expect(observe(azure)).toBeInstanceOf(AzureOpenAI);
  });

  it("sends through the user's own transport, from the client or from the option", async () => {
    const [ofClient, ofOption] = [vi.fn(answer), vi.fn(answer)];
    await observe(newClient(ofClient)).messages.create(BODY);
    await observe(newClient(ofClient), { fetch: ofOption }).messages.create(BODY);
    expect(ofClient).toHaveBeenCalledTimes(1);
    expect(ofOption).toHaveBeenCalledTimes(1);
  });

  it.each([
    [42, 'got number "42"'],
    [null, 'got null'],
    [{ chat: {} }, 'got a plain object'],
    [new Map(), 'got an instance of Map'],
    [globalThis.fetch, 'got the function fetch'],
  ])('names what it got and points to observeFetch: %s', (client, message) => {
    const call = (): unknown => observe(client as unknown as Anthropic);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
    expect(call).toThrow('observeFetch()');
  });

  it.each([
    [{ fetch: 'https://proxy' }, 'options.fetch must be a function, got string "https://proxy"'],
    [{ scope: 'planner' }, 'options.scope must be an object'],
    [{ scope: { thread: 7 } }, 'options.scope.thread must be a string, got number "7"'],
    [null, 'options must be an object, got null'],
  ])('throws at once on a bad option: %j', (options, message) => {
    expect(() => observe(newClient(), options as object)).toThrow(message);
  });

  it('gives back the client as it is when switched off', () => {
    const client = newClient();
    expect(observe(client, { enabled: false })).toBe(client);
    vi.stubEnv('PREFIXTRACE_DISABLED', '1');
    expect(observe(client)).toBe(client);
    expect(observeFetchWith(answer, () => recorded.recorder)).toBe(answer);
  });

  it('gives back a client that refuses another transport', () => {
    const refusing = {
      fetch: answer,
      withOptions: (): never => {
        throw new Error('no custom fetch');
      },
    };
    expect(observe(refusing)).toBe(refusing);
  });

  it('lets no credential into the record, and tells accounts apart', async () => {
    const first = recorded.started.length;
    await observe(newClient()).messages.create(BODY);
    await observe(newClient()).messages.create(BODY);
    await observe(new Anthropic({ apiKey: 'other-key', fetch: answer })).messages.create(BODY);
    const [one, same, other] = recorded.started.slice(first);
    expect(one?.account).toMatch(/^[0-9a-f]{16}$/);
    expect(same?.account).toBe(one?.account);
    expect(other?.account).not.toBe(one?.account);
    expect(JSON.stringify(recorded.started)).not.toMatch(/secret-key|other-key/);
  });
});

describe('scope and rebuilds on the wire', () => {
  it('carries the declared scope into streams and callbacks, over that of the client', async () => {
    const recorded = recordCalls();
    const client = observeClient(
      newClient(),
      { scope: { thread: 'c', phase: 'worker' } },
      () => recorded.recorder,
    );
    await withScope({ phase: 'planner' }, async () => {
      await nextTurn();
      await Promise.all([1, 2].map(() => withScope({ delegation: 'd' }, () => client.messages.create(BODY))));
    });
    const scope = { thread: 'c', phase: 'planner', delegation: 'd' };
    expect(recorded.opened.map((request) => request.scope)).toEqual([scope, scope]);
  });

  it('marks the next call alone as an expected rebuild, and its retry after a failure', async () => {
    const recorded = recordCalls();
    const fetch = vi.fn(answer);
    fetch.mockImplementationOnce(
      async () => new Response('{}', { status: 500, headers: { 'retry-after-ms': '1' } }),
    );
    const client = observeClient(newClient(fetch), {}, () => recorded.recorder);
    await withScope({ thread: 't' }, async () => {
      expectRebuild('compaction');
      await client.messages.create(BODY);
      await client.messages.create(BODY);
    });
    await recorded.ended(2);
    expect(recorded.started.slice(-2).map((request) => request.expectedRebuild)).toEqual([
      'compaction',
      undefined,
    ]);
  });
});
