import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/exchange.ts';
import { guessApi } from '../../src/prompt/guess-api.ts';

const user = { role: 'user', content: 'hi' };

describe('the api of a body that does not say', () => {
  it.each<[string, JsonObject, string | undefined]>([
    ['contents', { contents: [] }, 'google.generateContent'],
    ['input without messages', { model: 'gpt-5', input: 'hi' }, 'openai.responses'],
    ['a system field', { model: 'x', system: 'You are', messages: [user] }, 'anthropic.messages'],
    [
      'input_schema in tools',
      { model: 'x', tools: [{ name: 'a', input_schema: {} }], messages: [user] },
      'anthropic.messages',
    ],
    [
      'a Claude model and max_tokens',
      { model: 'claude-sonnet-5', max_tokens: 5, messages: [user] },
      'anthropic.messages',
    ],
    [
      'a Claude model behind a chat endpoint',
      {
        model: 'anthropic/claude-x',
        tools: [{ type: 'function', function: {} }],
        max_tokens: 5,
        messages: [user],
      },
      'openai.chat',
    ],
    [
      'blocks without a type',
      { messages: [{ role: 'user', content: [{ text: 'hi' }] }] },
      'bedrock.converse',
    ],
    ['messages alone', { model: 'gpt-5', messages: [user] }, 'openai.chat'],
    ['nothing known', { prompt: 'hi' }, undefined],
  ])('is told by %s', (_, body, api) => {
    expect(guessApi(body)).toBe(api);
  });
});
