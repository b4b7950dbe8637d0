import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { anthropicClient, testServer } from './support.ts';

const PARAMS: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'claude-sonnet-4-6',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
};

describe("Anthropic's SDK", () => {
  it('reads a plain answer', async () => {
    const server = await testServer({ reply: () => ({ text: 'Good day.' }) });
    const message = await anthropicClient(server).messages.create(PARAMS);
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-6',
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'Good day.' }],
      usage: { cache_read_input_tokens: 0, cache_creation_input_tokens: 0, service_tier: 'standard' },
    });
    expect(message.usage.input_tokens).toBeGreaterThan(0);
    expect(message._request_id).toMatch(/^req_/);
  });

  it('gets the same message streamed as plain', async () => {
    const reply = {
      thinking: 'The user wants two files read.',
      text: 'Reading both files, 🙂 one moment.',
      toolCalls: [
        { id: 'toolu_1', name: 'read_file', input: { path: 'a.ts' } },
        { id: 'toolu_2', name: 'read_file', input: { path: 'b.ts', lines: [1, 20] } },
      ],
    };
    const server = await testServer({ reply: () => reply });
    const client = anthropicClient(server);
    const { id: _plainId, _request_id: _plainRequest, ...plain } = await client.messages.create(PARAMS);
    const {
      id: _id,
      parsed_output: _parsed,
      ...streamed
    } = await client.messages.stream(PARAMS).finalMessage();
    expect(streamed).toEqual(plain);
    expect(plain.stop_reason).toBe('tool_use');
    expect(plain.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use', 'tool_use']);
  });

  it('sees input usage in message_start with the split by lifetime, and cumulative usage in message_delta', async () => {
    const server = await testServer();
    const system: Anthropic.TextBlockParam[] = [
      { type: 'text', text: 'word '.repeat(2000), cache_control: { type: 'ephemeral' } },
    ];
    const events = [];
    for await (const event of await anthropicClient(server).messages.create({
      ...PARAMS,
      system,
      stream: true,
    })) {
      events.push(event);
    }
    const [start] = events;
    const delta = events.find((event) => event.type === 'message_delta');
    const written = server.requests[0]?.cache?.writtenTokens;
    expect(written).toBeGreaterThan(2000);
    expect(start).toMatchObject({
      message: { content: [], usage: { cache_creation: { ephemeral_5m_input_tokens: written } } },
    });
    expect(delta).toMatchObject({ usage: { cache_creation_input_tokens: written } });
    expect(delta?.usage).not.toHaveProperty('cache_creation');
    expect(delta?.usage.output_tokens).toBe(server.requests[0]?.usage?.output_tokens);
    expect(events.at(-1)?.type).toBe('message_stop');
  });

  it('runs an agent with tools against a reply function', async () => {
    const server = await testServer({
      reply: ({ body }) =>
        JSON.stringify(body.messages).includes('tool_result')
          ? { text: 'It is sunny.' }
          : { toolCalls: [{ name: 'weather', input: { city: 'Rome' } }] },
    });
    const client = anthropicClient(server);
    const asked: unknown[] = [];
    const final = await client.beta.messages.toolRunner({
      ...PARAMS,
      tools: [
        {
          name: 'weather',
          type: 'custom',
          description: 'The weather of a city',
          input_schema: { type: 'object', properties: { city: { type: 'string' } } },
          parse: (input) => input,
          run: (input) => {
            asked.push(input);
            return 'sunny';
          },
        },
      ],
    });
    expect(asked).toEqual([{ city: 'Rome' }]);
    expect(final.content).toMatchObject([{ type: 'text', text: 'It is sunny.' }]);
    expect(server.requests).toHaveLength(2);
  });

  it("passes on a scripted diagnosis as the provider's own", async () => {
    const diagnostics = { cache_miss_reason: { type: 'tools_changed', cache_missed_input_tokens: 12 } };
    const server = await testServer({ reply: () => ({ text: 'Hi', diagnostics }) });
    expect((await anthropicClient(server).messages.create(PARAMS)).diagnostics).toEqual(diagnostics);
  });

  it('gets 404 for a path that the server does not know', async () => {
    const server = await testServer();
    const failure = anthropicClient(server).models.list();
    await expect(failure).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    await expect(failure).rejects.toMatchObject({ type: 'not_found_error' });
  });
});

describe('any client', () => {
  it('gets 404 for HEAD and for an unknown path, as JSON', async () => {
    const server = await testServer();
    const head = await fetch(server.url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([404, 'application/json']);
    const unknown = await fetch(`${server.url}/v1/nothing`, { method: 'POST', body: '{}' });
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({
      error: { type: 'invalid_request_error', code: 'unknown_url' },
    });
  });

  it('gets 400 for a body that is not JSON', async () => {
    const server = await testServer();
    const answer = await fetch(`${server.url}/v1/messages`, { method: 'POST', body: '{"model":' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  });

  it('finds the bytes that it sent in the record', async () => {
    const server = await testServer({ now: () => 1_000 });
    const bodyText =
      '{ "model":"claude-sonnet-4-6","max_tokens":1, "messages":[{"role":"user","content":"H\\u0069"}]}';
    await fetch(`${server.url}/v1/messages?beta=true`, {
      method: 'POST',
      body: bodyText,
      headers: { 'x-api-key': 'k' },
    });
    await server.idle();
    expect(server.requests[0]).toMatchObject({
      index: 0,
      method: 'POST',
      path: '/v1/messages?beta=true',
      bodyText,
      headers: { 'x-api-key': 'k' },
      atMs: 1_000,
      api: 'anthropic.messages',
      status: 200,
      ending: 'answered',
      chunksWritten: 1,
    });
  });
});
