/** Provider diagnostics, opt-in: the one thing of ours that changes a request. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/diagnose.ts';
import type { JsonObject } from '../../src/exchange.ts';
import { type ModelServer, startModelServer } from '../../src/model-server/index.ts';
import type { ObserveOptions } from '../../src/observe/observe-client.ts';
import { observeClient } from '../../src/observe/observe-client.ts';
import { withQuestion } from '../../src/observe/provider-question.ts';
import { recordCalls } from '../support/recorded-calls.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({
    reply: ({ body }) => {
      const previous = (body.diagnostics as JsonObject | undefined)?.previous_message_id;
      if (typeof previous !== 'string') return undefined;
      const diagnostics = { cache_miss_reason: { type: 'system_changed', cache_missed_input_tokens: 42 } };
      return { text: 'ok', diagnostics };
    },
  });
});
afterAll(() => server.close());

const SYSTEM = 'Be brief and exact. '.repeat(600);
const ask = (client: Anthropic, system: string) =>
  client.messages.create({
    model: 'claude-opus-5',
    max_tokens: 8,
    system,
    cache_control: { type: 'ephemeral' },
    messages: [{ role: 'user', content: 'hi' }],
  });

describe('observe(client, { providerDiagnostics: true })', () => {
  let from = 0;
  beforeEach(() => {
    from = server.requests.length;
  });
  const sent = () => server.requests.slice(from).map(({ bodyText }) => bodyText);
  const observed = async (options: ObserveOptions = { providerDiagnostics: true }) => {
    const recorded = recordCalls({ engine: await createEngine() });
    await new Promise((resolve) => setImmediate(resolve));
    const anthropic = new Anthropic({ apiKey: 'k', baseURL: server.url });
    const openai = new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1` });
    return {
      recorded,
      anthropic: observeClient(anthropic, options, () => recorded.recorder),
      openai: observeClient(openai, options, () => recorded.recorder),
    };
  };

  it('asks Anthropic about the call before, and puts its answer beside ours, with whether they agree', async () => {
    const { anthropic, recorded } = await observed();
    const first = await ask(anthropic, `It is 10:00. ${SYSTEM}`);
    await ask(anthropic, `It is 10:01. ${SYSTEM}`);
    expect(sent().map((body) => JSON.parse(body).diagnostics)).toEqual([
      { previous_message_id: null },
      { previous_message_id: first.id },
    ]);
    const [, second] = await recorded.ended(2);
    expect(second?.result).toMatchObject({
      diagnosis: {
        divergence: { component: 'system' },
        provider: { reason: 'system_changed', tokens: 42, agrees: true },
      },
    });
  });

  it('changes nothing else of the request', async () => {
    const { anthropic } = await observed();
    await ask(anthropic, SYSTEM);
    await ask(new Anthropic({ apiKey: 'k', baseURL: server.url }), SYSTEM);
    const [asked, plain] = sent() as [string, string];
    expect(asked).toBe(plain.replace(/\}$/, ',"diagnostics":{"previous_message_id":null}}'));
  });

  it('is off by default', async () => {
    const { anthropic } = await observed({});
    await ask(anthropic, SYSTEM);
    expect(sent()[0]).not.toContain('diagnostics');
  });

  it('can be asked for on top of a client that is observed already', async () => {
    const { anthropic, recorded } = await observed({});
    const asking = observeClient(anthropic, { providerDiagnostics: true }, () => recorded.recorder);
    await ask(asking, SYSTEM);
    expect(sent()[0]).toContain('"diagnostics"');
    await recorded.recorder.flush();
    expect(recorded.calls).toHaveLength(1);
  });

  it('asks OpenAI about the response before, from GPT-5.6 on', async () => {
    const { openai } = await observed();
    const respond = (model: string, input: OpenAI.Responses.ResponseInput, more = {}) =>
      openai.responses.create({ model, instructions: SYSTEM, input, store: false, ...more });
    const hi = { role: 'user' as const, content: 'hi' };
    const first = await respond('gpt-6-sol', [hi]);
    const options = { prompt_cache_options: { ttl: '30m' as const } };
    await respond(
      'gpt-6-sol',
      [hi, { role: 'assistant', content: 'Hello' }, { role: 'user', content: 'Go on' }],
      options,
    );
    await respond('gpt-5.5', [hi]);
    await respond('gpt-5.5', [
      hi,
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'Go on' },
    ]);
    expect(sent().map((body) => JSON.parse(body).prompt_cache_options)).toEqual([
      undefined,
      { ttl: '30m', comparison_response_id: first.id },
      undefined,
      undefined,
    ]);
  });
});

describe('withQuestion', () => {
  const claude = (previousId?: string) => ({
    api: 'anthropic.messages' as const,
    url: new URL('https://api.anthropic.com/v1/messages'),
    previousId,
  });
  const openai = {
    api: 'openai.responses' as const,
    url: new URL('https://api.openai.com/v1/responses'),
    previousId: 'r1',
  };

  it('leaves a body alone that asks already', () => {
    expect(withQuestion('{"diagnostics":{"previous_message_id":"m0"}}', claude('m1'))).toBeUndefined();
    expect(
      withQuestion('{"model":"gpt-6-sol","prompt_cache_options":{"comparison_response_id":"r0"}}', openai),
    ).toBeUndefined();
  });

  it.each([
    ['Bedrock', 'https://bedrock-runtime.eu-west-1.amazonaws.com/model/anthropic.claude-opus-5/invoke'],
    [
      'Vertex',
      'https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-5:rawPredict',
    ],
    ['Foundry', 'https://x.services.ai.azure.com/anthropic/v1/messages'],
  ])('does not ask on %s, which documents no diagnostics', (_name, url) => {
    expect(withQuestion('{"messages":[]}', { ...claude('m1'), url: new URL(url) })).toBeUndefined();
  });

  it('writes into odd texts what JSON.parse understands, or nothing', () => {
    for (const text of ['{}', ' { } ', '{"a":"}"}\n', '{"a":{"diagnostics":1}}']) {
      const asked = withQuestion(text, claude('m"1')) as string;
      expect(JSON.parse(asked)).toEqual({ ...JSON.parse(text), diagnostics: { previous_message_id: 'm"1' } });
    }
    for (const text of ['', '[]', '{"a"', 'null']) expect(withQuestion(text, claude('m1'))).toBeUndefined();
  });

  it('puts the id into empty options too', () => {
    const asked = withQuestion(
      '{"model":"gpt-5.6-sol","prompt_cache_options":{}, "input":"x"}',
      openai,
    ) as string;
    expect(JSON.parse(asked).prompt_cache_options).toEqual({ comparison_response_id: 'r1' });
  });
});
