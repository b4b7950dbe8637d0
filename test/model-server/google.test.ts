import { GoogleGenAI } from '@google/genai';
import { describe, expect, it } from 'vitest';
import type { ModelServer } from '../../src/model-server/index.ts';
import { testServer, textOfTokens } from './support.ts';

const FLASH = 'gemini-3.5-flash';
const REPLY = {
  thinking: 'Two files.',
  text: 'Reading both files, 🙂 one moment.',
  toolCalls: [{ id: 'call_1', name: 'read_file', input: { path: 'a.ts' } }],
};

const googleClient = (server: ModelServer, apiKey = 'key-1'): GoogleGenAI =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: server.url } });

function ask(server: ModelServer) {
  return async (contents: string, model = FLASH, config = {}, apiKey?: string) => {
    const client = googleClient(server, apiKey);
    const { usageMetadata } = await client.models.generateContent({ model, contents, config });
    return { input: usageMetadata?.promptTokenCount ?? 0, cached: usageMetadata?.cachedContentTokenCount };
  };
}

describe('generateContent', () => {
  it('streams the same answer as it gives plainly', async () => {
    const server = await testServer({ reply: () => REPLY });
    const { models } = googleClient(server);
    const plain = await models.generateContent({ model: FLASH, contents: 'Hello' });
    expect(plain.functionCalls).toEqual([{ id: 'call_1', name: 'read_file', args: { path: 'a.ts' } }]);
    let text = '';
    let last: typeof plain | undefined;
    for await (const chunk of await models.generateContentStream({ model: FLASH, contents: 'Hello' })) {
      for (const part of chunk.candidates?.[0]?.content?.parts ?? [])
        if (!part.thought) text += part.text ?? '';
      last = chunk;
    }
    expect(text).toBe(REPLY.text);
    expect(last?.candidates?.[0]?.finishReason).toBe('STOP');
    expect(last?.usageMetadata).toEqual(server.requests[1]?.usage);
    expect(last?.usageMetadata).toEqual(plain.usageMetadata);
  });

  it('counts what was read into the prompt, and leaves out a count of zero', async () => {
    const server = await testServer();
    const answered = ask(server);
    const first = await answered(textOfTokens(5000));
    expect(first.cached).toBeUndefined();
    const again = await answered(textOfTokens(5000));
    expect(again).toEqual({ input: first.input, cached: first.input });
  });

  it.each([
    ['gemini-3.5-flash', 3000, undefined],
    ['gemini-2.5-pro', 3000, 3000],
    ['gemini-2.5-pro', 1500, undefined],
    ['gemini-2.0-flash', 9000, undefined],
  ])('lets %s with %i tokens read %s', async (model, tokens, cached) => {
    const answered = ask(await testServer());
    await answered(textOfTokens(tokens), model);
    const read = (await answered(textOfTokens(tokens), model)).cached;
    if (cached === undefined) expect(read).toBeUndefined();
    else expect(read).toBeGreaterThanOrEqual(cached);
  });

  it('keeps models and accounts apart, and forgets after an hour', async () => {
    const server = await testServer();
    const answered = ask(server);
    await answered(textOfTokens(5000));
    expect((await answered(textOfTokens(5000), 'gemini-3.6-flash')).cached).toBeUndefined();
    expect((await answered(textOfTokens(5000), FLASH, {}, 'key-2')).cached).toBeUndefined();
    server.advance(3_600_000);
    expect((await answered(textOfTokens(5000))).cached).toBeUndefined();
  });

  it('loses everything to a changed system instruction', async () => {
    const answered = ask(await testServer());
    await answered(textOfTokens(5000), FLASH, { systemInstruction: 'Be brief.' });
    expect(
      (await answered(textOfTokens(5000), FLASH, { systemInstruction: 'Be kind.' })).cached,
    ).toBeUndefined();
  });

  it('says in the form of Google what went wrong', async () => {
    const server = await testServer();
    server.failNext({ kind: 'status', status: 429, message: 'Slow down' });
    const error = await ask(server)('Hello').catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ name: 'ApiError', status: 429 });
    expect(String(error)).toContain('RESOURCE_EXHAUSTED');
  });
});

describe('cache objects', () => {
  it('are read whole by a request that names them', async () => {
    const server = await testServer();
    const { caches } = googleClient(server);
    const cache = await caches.create({
      model: FLASH,
      config: { systemInstruction: textOfTokens(5000), ttl: '300s' },
    });
    expect(cache.usageMetadata?.totalTokenCount).toBeGreaterThanOrEqual(5000);
    const config = { cachedContent: cache.name };
    const asked = await ask(server)('Hello', FLASH, config);
    expect(asked.cached).toBe(cache.usageMetadata?.totalTokenCount);
    expect(asked.input).toBeGreaterThan(asked.cached ?? 0);
    server.advance(300_000);
    await expect(ask(server)('Hello', FLASH, config)).rejects.toThrow('CachedContent not found');
  });

  it('are refused below the minimum, and next to a system instruction of the request', async () => {
    const server = await testServer();
    const { caches } = googleClient(server);
    const small = { model: FLASH, config: { systemInstruction: textOfTokens(100) } };
    await expect(caches.create(small)).rejects.toThrow('too small');
    const cache = await caches.create({ model: FLASH, config: { systemInstruction: textOfTokens(5000) } });
    const config = { cachedContent: cache.name, systemInstruction: 'Be brief.' };
    await expect(ask(server)('Hello', FLASH, config)).rejects.toThrow('can not be used');
  });
});
