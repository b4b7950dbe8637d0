import { Ollama } from 'ollama';
import { expect, it } from 'vitest';
import { testServer } from './support.ts';

const REPLY = {
  thinking: 'One file.',
  text: 'Reading the file, 🙂 one moment.',
  toolCalls: [{ name: 'read_file', input: { path: 'a.ts' } }],
};
const REQUEST = { model: 'llama3.2', messages: [{ role: 'user', content: 'Hello' }] };

it('streams the same answer as it gives plainly', async () => {
  const server = await testServer({ reply: () => REPLY });
  const client = new Ollama({ host: server.url });
  const plain = await client.chat({ ...REQUEST, stream: false });
  expect(plain.message).toMatchObject({ content: REPLY.text, thinking: REPLY.thinking });
  const message = { content: '', thinking: '', calls: [] as unknown[] };
  let last: unknown;
  for await (const part of await client.chat({ ...REQUEST, stream: true })) {
    message.content += part.message.content;
    message.thinking += part.message.thinking ?? '';
    message.calls.push(...(part.message.tool_calls ?? []));
    last = part;
  }
  expect(message).toEqual({
    content: REPLY.text,
    thinking: REPLY.thinking,
    calls: [{ function: { name: 'read_file', arguments: { path: 'a.ts' } } }],
  });
  expect(last).toMatchObject({ done: true, done_reason: 'stop', ...server.requests[1]?.usage });
});

it('counts the whole prompt and does not say what was reused', async () => {
  const server = await testServer();
  const client = new Ollama({ host: server.url });
  const first = await client.chat(REQUEST);
  const again = await client.chat(REQUEST);
  expect(again.prompt_eval_count).toBe(first.prompt_eval_count);
  expect(server.requests[1]?.cache?.readTokens).toBe(first.prompt_eval_count);
  expect(JSON.stringify(again)).not.toContain('cache');
});

it('unloads the model after five minutes without use', async () => {
  const server = await testServer();
  const client = new Ollama({ host: server.url });
  await client.chat(REQUEST);
  server.advance(5 * 60_000);
  await client.chat(REQUEST);
  expect(server.requests[1]?.cache?.readTokens).toBe(0);
});

it('says in the form of Ollama what went wrong, before and in a stream', async () => {
  const server = await testServer();
  const client = new Ollama({ host: server.url });
  server.failNext({ kind: 'status', status: 404, message: "model 'x' not found" });
  await expect(client.chat(REQUEST)).rejects.toMatchObject({ name: 'ResponseError', status_code: 404 });
  server.failNext({ kind: 'error-event', afterChunks: 1, message: 'out of memory' });
  const read = async () => {
    for await (const _ of await client.chat({ ...REQUEST, stream: true }));
  };
  await expect(read()).rejects.toThrow('out of memory');
});
