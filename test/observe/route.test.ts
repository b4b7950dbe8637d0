import { describe, expect, it } from 'vitest';
import { routeOf } from '../../src/route.ts';

const CHAT_BODY = '{"model":"m","messages":[]}';
const ANTHROPIC_BODY = '{"anthropic_version":"bedrock-2023-05-31","messages":[]}';

const route = (path: string, body: string | undefined, method = 'POST') =>
  routeOf(method, new URL(path, 'https://api.example'), () => body);

describe('routeOf', () => {
  it.each([
    ['/v1/messages', CHAT_BODY, { api: 'anthropic.messages' }],
    ['/v1/messages?beta=true', CHAT_BODY, { api: 'anthropic.messages' }],
    ['/anthropic/v1/messages/', CHAT_BODY, { api: 'anthropic.messages' }],
    ['/v1/chat/completions', CHAT_BODY, { api: 'openai.chat' }],
    ['/openai/deployments/gpt/chat/completions?api-version=1', CHAT_BODY, { api: 'openai.chat' }],
    ['/api/chat', '{"model":"m","messages":[],"stream":false}', { api: 'openai.chat' }],
    ['/v1/responses', '{"model":"m","input":"hi"}', { api: 'openai.responses' }],
    ['/v1/responses', '{"prompt":{"id":"pmpt_1"}}', { api: 'openai.responses' }],
    [
      '/v1beta/models/gemini-3.5-flash:generateContent',
      '{"contents":[]}',
      { api: 'google.generateContent', model: 'gemini-3.5-flash' },
    ],
    [
      '/v1/projects/p/locations/l/publishers/google/models/gemini-4:streamGenerateContent?alt=sse',
      '{"contents":[]}',
      { api: 'google.generateContent', model: 'gemini-4' },
    ],
    [
      '/model/anthropic.claude-opus-5/converse',
      CHAT_BODY,
      { api: 'bedrock.converse', model: 'anthropic.claude-opus-5' },
    ],
    [
      '/model/arn%3Aaws%3Abedrock%2Fx/converse-stream',
      CHAT_BODY,
      { api: 'bedrock.converse', model: 'arn:aws:bedrock/x' },
    ],
    [
      '/model/us.anthropic.claude-opus-5-v1%3A0/invoke',
      ANTHROPIC_BODY,
      { api: 'anthropic.messages', model: 'us.anthropic.claude-opus-5-v1:0' },
    ],
    ['/model/m/invoke-with-response-stream', ANTHROPIC_BODY, { api: 'anthropic.messages', model: 'm' }],
    [
      '/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-5:streamRawPredict',
      ANTHROPIC_BODY,
      { api: 'anthropic.messages', model: 'claude-opus-5' },
    ],
  ])('takes %s for a model call', (path, body, expected) => {
    expect(route(path, body)).toEqual(expected);
  });

  it.each([
    ['/v1/messages/count_tokens', CHAT_BODY],
    ['/v1/messages/batches', CHAT_BODY],
    ['/v1/threads/t/messages', CHAT_BODY],
    // A route of a web application, as those of the AI SDK are named.
    ['/api/chat', CHAT_BODY],
    ['/channels/7/messages', '{"content":"hi"}'],
    ['/v1/responses/resp_1/cancel', '{"model":"m","input":""}'],
    ['/v1/responses/input_tokens', '{"model":"m","input":""}'],
    ['/surveys/1/responses', '{"answer":1}'],
    ['/v1/embeddings', '{"model":"m","input":"hi"}'],
    ['/v1/chat/completions/chatcmpl-1', CHAT_BODY],
    ['/v1beta/models/gemini:countTokens', '{"contents":[]}'],
    ['/model/amazon.titan/invoke', '{"inputText":"hi"}'],
    ['/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict', CHAT_BODY],
    ['/v1/messages', undefined],
  ])('takes %s for none', (path, body) => {
    expect(route(path, body)).toBeUndefined();
  });

  it('asks for the body only where method and path fit', () => {
    const readBody = (): never => {
      throw new Error('must not be read');
    };
    expect(routeOf('GET', new URL('https://x.example/v1/messages'), readBody)).toBeUndefined();
    expect(routeOf('POST', new URL('https://x.example/upload'), readBody)).toBeUndefined();
  });
});
