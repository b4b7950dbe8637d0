import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { ModelServer } from '../../src/model-server/index.ts';
import { openAiClient, testServer, textOfTokens } from './support.ts';

type ChatParams = OpenAI.ChatCompletionCreateParamsNonStreaming;
type ResponseParams = OpenAI.Responses.ResponseCreateParamsNonStreaming;

const MINUTE_MS = 60_000;

function chat(server: ModelServer) {
  return async (overrides: Partial<ChatParams> = {}) => {
    const completion = await openAiClient(server).chat.completions.create({
      model: 'gpt-5.2',
      messages: [{ role: 'system', content: textOfTokens(2000) }],
      ...overrides,
    });
    const { cached_tokens: cached, cache_write_tokens: written } =
      completion.usage?.prompt_tokens_details ?? {};
    return { input: completion.usage?.prompt_tokens ?? 0, cached, written };
  };
}

function respond(server: ModelServer) {
  return async (overrides: Partial<ResponseParams> = {}) => {
    const response = await openAiClient(server).responses.create({
      model: 'gpt-5.6',
      instructions: textOfTokens(2000),
      input: [{ role: 'user', content: 'Hello' }],
      ...overrides,
    });
    const { input_tokens: input = 0, input_tokens_details: details } = response.usage ?? {};
    return { input, cached: details?.cached_tokens, written: details?.cache_write_tokens, details };
  };
}

describe('models before GPT-5.6', () => {
  it('read the shared prefix in steps of 128 tokens and report no writes', async () => {
    const ask = chat(await testServer());
    const first = await ask();
    expect(first).toEqual({ input: first.input, cached: 0, written: undefined });
    const again = await ask();
    expect(again.cached).toBe(Math.floor(first.input / 128) * 128);
  });

  it('need no message border: a text that goes on is shared up to its old end', async () => {
    const ask = chat(await testServer());
    await ask();
    const longer = await ask({ messages: [{ role: 'system', content: textOfTokens(3000) }] });
    expect(longer.cached).toBe(1920);
  });

  it('share nothing below 1,024 tokens', async () => {
    const ask = chat(await testServer());
    const messages: ChatParams['messages'] = [{ role: 'system', content: textOfTokens(1000) }];
    await ask({ messages });
    expect((await ask({ messages })).cached).toBe(0);
  });

  it('take prompt_cache_key for a hint, not for a border', async () => {
    const ask = chat(await testServer());
    await ask({ prompt_cache_key: 'a' });
    expect((await ask({ prompt_cache_key: 'b' })).cached).toBeGreaterThan(0);
  });

  it('forget after ten idle minutes in memory, and after a day by default', async () => {
    const server = await testServer();
    const ask = chat(server);
    await ask({ prompt_cache_retention: 'in_memory' });
    server.advance(9 * MINUTE_MS);
    expect((await ask({ prompt_cache_retention: 'in_memory' })).cached).toBeGreaterThan(0);
    server.advance(11 * MINUTE_MS);
    expect((await ask()).cached).toBe(0);
    server.advance(23 * 60 * MINUTE_MS);
    expect((await ask()).cached).toBeGreaterThan(0);
  });

  it.each<[string, Partial<ChatParams>, boolean]>([
    ['temperature', { temperature: 0.1 }, true],
    ['tool_choice none', { tool_choice: 'none' }, true],
    ['the default verbosity, spelled out', { verbosity: 'medium' }, true],
    ['reasoning_effort', { reasoning_effort: 'low' }, false],
    ['response_format', { response_format: { type: 'json_object' } }, false],
    ['service_tier', { service_tier: 'flex' }, false],
    ['a tool', { tools: [{ type: 'function', function: { name: 'sh' } }] }, false],
    ['the model', { model: 'gpt-5.1' }, false],
  ])('keep the prefix or lose it when this changes: %s', async (_name, change, isKept) => {
    const ask = chat(await testServer());
    await ask();
    expect(((await ask(change)).cached ?? 0) > 0).toBe(isKept);
  });

  it('store GPT-5.5 prompts at intervals of 2,048 tokens', async () => {
    const ask = chat(await testServer());
    const prompt: Partial<ChatParams> = {
      model: 'gpt-5.5',
      messages: [{ role: 'system', content: textOfTokens(5000) }],
    };
    await ask(prompt);
    expect((await ask(prompt)).cached).toBe(4096);
  });
});

describe('GPT-5.6 and later', () => {
  it('read what the turn before read and wrote, up to the end of its last user message', async () => {
    const ask = respond(await testServer());
    const input: OpenAI.Responses.EasyInputMessage[] = [];
    let before = 0;
    for (let turn = 0; turn < 4; turn++) {
      input.push({ role: 'user', content: `Question ${turn}` });
      const { cached, written = 0, input: total } = await ask({ input });
      expect(cached).toBe(before);
      before += written;
      expect(total).toBe(before);
      input.push({ role: 'assistant', content: `Answer ${turn}` });
    }
  });

  it('report write counts in Chat Completions too', async () => {
    const ask = chat(await testServer());
    const first = await ask({ model: 'gpt-6' });
    expect(first).toEqual({ input: first.input, cached: 0, written: first.input });
    expect(await ask({ model: 'gpt-6' })).toEqual({ input: first.input, cached: first.input, written: 0 });
  });

  it('miss when the text of a message goes on, as there is no border inside it', async () => {
    const ask = respond(await testServer());
    await ask();
    expect((await ask({ input: [{ role: 'user', content: 'Hello again' }] })).cached).toBe(0);
  });

  it('write nothing in explicit mode without a mark, and at the mark with one', async () => {
    const ask = respond(await testServer());
    const explicit = { prompt_cache_options: { mode: 'explicit' } } as const;
    expect((await ask(explicit)).written).toBe(0);
    expect((await ask(explicit)).cached).toBe(0);
    const marked = (question: string): Partial<ResponseParams> => ({
      ...explicit,
      input: [
        {
          role: 'developer',
          content: [{ type: 'input_text', text: 'Rules', prompt_cache_breakpoint: { mode: 'explicit' } }],
        },
        { role: 'user', content: question },
      ],
    });
    const first = await ask(marked('one'));
    expect(first.written).toBeGreaterThan(2000);
    expect(first.written).toBeLessThan(first.input);
    expect((await ask(marked('two'))).cached).toBe(first.written);
  });

  it('write at the latest four explicit marks alone', async () => {
    const ask = respond(await testServer());
    const parts = (last: string) =>
      [0, 1, 2, 3, 4, 5].map((part) => ({
        type: 'input_text' as const,
        text: part === 5 ? last : `${part} ${textOfTokens(100)}`,
        prompt_cache_breakpoint: { mode: 'explicit' as const },
      }));
    const options = { prompt_cache_options: { mode: 'explicit' as const } };
    const first = await ask({ ...options, input: [{ role: 'user', content: parts('a') }] });
    const onlyFirstTwo = [{ role: 'user' as const, content: parts('a').slice(0, 2) }];
    expect((await ask({ ...options, input: onlyFirstTwo })).cached).toBe(0);
    const second = await ask({ ...options, input: [{ role: 'user', content: parts('b') }] });
    expect(second.cached).toBeGreaterThan(2500);
    expect(second.cached).toBeLessThan(first.input);
  });

  it('keep for 30 minutes from the last use, or for 12 hours where asked for', async () => {
    const server = await testServer();
    const ask = respond(server);
    await ask();
    server.advance(29 * MINUTE_MS);
    expect((await ask()).cached).toBeGreaterThan(0);
    server.advance(31 * MINUTE_MS);
    expect((await ask()).cached).toBe(0);

    const long = { instructions: textOfTokens(2000, 'long'), prompt_cache_options: { ttl: '12h' } } as const;
    const { details, written } = await ask(long);
    expect(details?.cache_write_tokens_details).toEqual({ ttl_30m_tokens: 0, ttl_12h_tokens: written });
    server.advance(11 * 60 * MINUTE_MS);
    expect((await ask(long)).cached).toBe(written);
  });

  it('are partitioned by prompt_cache_key', async () => {
    const ask = respond(await testServer());
    await ask({ prompt_cache_key: 'a' });
    expect((await ask({ prompt_cache_key: 'b' })).cached).toBe(0);
    expect((await ask({ prompt_cache_key: 'a' })).cached).toBeGreaterThan(0);
  });

  it('cache nothing below 1,024 tokens', async () => {
    const ask = respond(await testServer());
    expect((await ask({ instructions: textOfTokens(900) })).written).toBe(0);
  });

  it('write the prompt without an answer when prewarmed', async () => {
    const server = await testServer();
    const options = { prompt_cache_options: { prewarm: true } } as Partial<ResponseParams>;
    const { written, input } = await respond(server)(options);
    expect(written).toBe(input);
    expect((await respond(server)()).cached).toBe(input);
  });
});
