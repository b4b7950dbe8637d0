import OpenAI from 'openai';
import OpenAIv6 from 'openai-v6';
import { describe, expect, it } from 'vitest';
import { openAiClient, testServer } from './support.ts';

const CHAT: OpenAI.ChatCompletionCreateParamsNonStreaming = {
  model: 'gpt-5.2',
  messages: [{ role: 'user', content: 'Hello' }],
};
const RESPONSE: OpenAI.Responses.ResponseCreateParamsNonStreaming = { model: 'gpt-5.2', input: 'Hello' };
const REPLY = {
  thinking: 'Two files.',
  text: 'Reading both files, 🙂 one moment.',
  toolCalls: [
    { id: 'call_1', name: 'read_file', input: { path: 'a.ts' } },
    { id: 'call_2', name: 'read_file', input: { path: 'b.ts', lines: [1, 20] } },
  ],
};

describe('Chat Completions', () => {
  it('answers plainly', async () => {
    const server = await testServer({ reply: () => ({ text: 'Good day.' }) });
    const completion = await openAiClient(server).chat.completions.create(CHAT);
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { role: 'assistant', content: 'Good day.' },
    });
    expect(completion.usage?.total_tokens).toBe(
      (completion.usage?.prompt_tokens ?? 0) + (completion.usage?.completion_tokens ?? 0),
    );
    expect(completion._request_id).toMatch(/^req_/);
  });

  it('gives the stream helper the same message as a plain call', async () => {
    const server = await testServer({ reply: () => REPLY });
    const client = openAiClient(server);
    const plain = (await client.chat.completions.create(CHAT)).choices[0];
    const streamed = (await client.chat.completions.stream({ ...CHAT, stream: true }).finalChatCompletion())
      .choices[0];
    expect(streamed?.finish_reason).toBe(plain?.finish_reason);
    expect(streamed?.message.content).toBe(plain?.message.content);
    const calls = streamed?.message.tool_calls?.map(
      (call) => call.type === 'function' && call.function.arguments,
    );
    expect(calls).toEqual(REPLY.toolCalls.map(({ input }) => JSON.stringify(input)));
  });

  it('streams no usage unless asked for', async () => {
    const server = await testServer();
    const chunks = [];
    for await (const chunk of await openAiClient(server).chat.completions.create({ ...CHAT, stream: true })) {
      chunks.push(chunk);
    }
    expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false);
    expect(chunks.every((chunk) => chunk.choices.length === 1)).toBe(true);
  });

  it('streams usage last, in a chunk without choices, when asked for', async () => {
    const server = await testServer();
    const chunks = [];
    const stream = await openAiClient(server).chat.completions.create({
      ...CHAT,
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: server.requests[0]?.usage });
  });

  it('runs an agent with tools against a reply function', async () => {
    const server = await testServer({
      reply: ({ body }) =>
        JSON.stringify(body.messages).includes('"tool"')
          ? { text: 'It is sunny.' }
          : { toolCalls: [{ name: 'weather', input: { city: 'Rome' } }] },
    });
    const runner = openAiClient(server).chat.completions.runTools({
      ...CHAT,
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            description: 'The weather of a city',
            parameters: { type: 'object', properties: { city: { type: 'string' } } },
            parse: JSON.parse,
            function: ({ city }: { city: string }) => `sunny in ${city}`,
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe('It is sunny.');
    expect(server.requests).toHaveLength(2);
  });

  it('rejects a request without messages in the shape of the API', async () => {
    const server = await testServer();
    const failure = openAiClient(server).chat.completions.create({ ...CHAT, messages: [] });
    await expect(failure).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(failure).rejects.toMatchObject({ param: 'messages', type: 'invalid_request_error' });
  });
});

describe('Responses', () => {
  it('answers plainly', async () => {
    const server = await testServer({ reply: () => ({ text: 'Good day.' }) });
    const response = await openAiClient(server).responses.create(RESPONSE);
    expect(response).toMatchObject({ status: 'completed', output_text: 'Good day.' });
    expect(response.usage).toMatchObject({ input_tokens_details: { cached_tokens: 0 } });
  });

  it('gives the stream helper the same output as a plain call', async () => {
    const server = await testServer({ reply: () => REPLY });
    const client = openAiClient(server);
    const withoutIds = (output: OpenAI.Responses.ResponseOutputItem[]) =>
      JSON.parse(JSON.stringify(output, (name, value) => (/^id$|^parsed/.test(name) ? undefined : value)));
    const plain = await client.responses.create(RESPONSE);
    const streamed = await client.responses.stream({ ...RESPONSE, stream: true }).finalResponse();
    expect(withoutIds(streamed.output)).toEqual(withoutIds(plain.output));
    expect(plain.output.map(({ type }) => type)).toEqual([
      'reasoning',
      'message',
      'function_call',
      'function_call',
    ]);
    expect(streamed.usage).toEqual(plain.usage);
  });

  it('numbers its events and tells usage in response.completed alone', async () => {
    const server = await testServer({ reply: () => REPLY });
    const events = [];
    for await (const event of await openAiClient(server).responses.create({ ...RESPONSE, stream: true })) {
      events.push(event);
    }
    expect(events.map((event) => 'sequence_number' in event && event.sequence_number)).toEqual([
      ...events.keys(),
    ]);
    expect(events[0]).toMatchObject({ type: 'response.created', response: { usage: null } });
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { usage: server.requests[0]?.usage },
    });
  });

  it('puts earlier items in front for previous_response_id, and says so when it has none', async () => {
    const server = await testServer();
    const client = openAiClient(server);
    const first = await client.responses.create(RESPONSE);
    const second = await client.responses.create({ ...RESPONSE, previous_response_id: first.id });
    expect(second.usage?.input_tokens).toBeGreaterThan(first.usage?.input_tokens ?? 0);
    await expect(
      client.responses.create({ ...RESPONSE, previous_response_id: 'resp_x' }),
    ).rejects.toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
    });
  });
});

it('speaks with the older major version of the SDK too', async () => {
  const server = await testServer({ reply: () => REPLY });
  const client = new OpenAIv6({ baseURL: `${server.url}/v1`, apiKey: 'key', maxRetries: 0 });
  const completion = await client.chat.completions.stream(CHAT as never).finalChatCompletion();
  expect(completion.choices[0]?.message.content).toBe(REPLY.text);
  const response = await client.responses.stream(RESPONSE as never).finalResponse();
  expect(response.output_text).toBe(REPLY.text);
});
