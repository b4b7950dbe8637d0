import { getEncodingNameForModel, type TiktokenModel } from 'js-tiktoken/lite';
import { describe, expect, it } from 'vitest';
import { encodingOf } from '../../src/tokens/encoding.ts';

describe('the vocabulary of a model', () => {
  it.each<TiktokenModel>([
    'gpt-3.5-turbo',
    'gpt-35-turbo',
    'gpt-3.5-turbo-0125',
    'gpt-4',
    'gpt-4-32k-0314',
    'gpt-4-turbo-2024-04-09',
    'gpt-4o',
    'gpt-4o-mini-2024-07-18',
    'chatgpt-4o-latest',
    'gpt-4.1-mini',
    'gpt-4.5-preview',
    'gpt-5',
    'o3-mini',
  ])('is what js-tiktoken says for %s', (model) => {
    expect(encodingOf(model)).toBe(getEncodingNameForModel(model));
  });

  it('is found behind the prefix of a router', () => {
    expect(encodingOf('openai/gpt-4-turbo')).toBe('cl100k_base');
    expect(encodingOf('openai/gpt-4.1')).toBe('o200k_base');
  });

  it('is the newer one for models of other vendors and for unknown ones', () => {
    for (const model of ['claude-sonnet-4-5', 'gemini-2.5-flash', 'mistral-large-4', '', null])
      expect(encodingOf(model)).toBe('o200k_base');
  });
});
