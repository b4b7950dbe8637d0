import { describe, expect, it } from 'vitest';
import type { Api } from '../../src/exchange.ts';
import { inferenceSpan } from '../../src/telemetry/inference-span.ts';
import { providerName } from '../../src/telemetry/provider-name.ts';
import { cacheWriteNames } from '../../src/telemetry/usage-spelling.ts';
import { diagnosedCall, exchangeRequest, exchangeResponse, START_MS } from '../support/diagnosed-call.ts';

const OLDER = cacheWriteNames({});

describe('our own span of a call', () => {
  it('is named and filled after the GenAI conventions', () => {
    const span = inferenceSpan(exchangeRequest(), exchangeResponse(), diagnosedCall(), OLDER);
    expect(span.name).toBe('chat claude-sonnet-5');
    expect(span.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-sonnet-5',
      'gen_ai.conversation.id': 'wedding-42',
      'gen_ai.response.id': 'msg_1',
      'gen_ai.response.model': 'claude-sonnet-5-20260901',
      'gen_ai.usage.input_tokens': 19_690,
      'gen_ai.usage.output_tokens': 42,
      'gen_ai.usage.cache_read.input_tokens': 19_380,
      'gen_ai.usage.cache_creation.input_tokens': 310,
      'server.address': 'api.anthropic.com',
    });
  });

  it.each(['estimated', 'calibrated'] as const)('never shows an estimate as usage (%s)', (method) => {
    const { tokens } = diagnosedCall().diagnosis;
    const call = diagnosedCall({ tokens: { ...tokens, method, cacheRead: null, cacheWrite: null } });
    const { attributes } = inferenceSpan(
      exchangeRequest(),
      exchangeResponse({ usage: undefined }),
      call,
      OLDER,
    );
    expect(Object.keys(attributes).filter((name) => name.startsWith('gen_ai.usage.'))).toEqual([]);
  });

  it.each([
    [undefined, ['cache_creation']],
    ['http', ['cache_creation']],
    ['http, gen_ai_latest_experimental', ['cache_write']],
    ['gen_ai_latest_experimental/dup', ['cache_creation', 'cache_write']],
  ])('names what was written to the cache as OTEL_SEMCONV_STABILITY_OPT_IN=%s asks', (value, expected) => {
    const names = cacheWriteNames({ OTEL_SEMCONV_STABILITY_OPT_IN: value });
    const { attributes } = inferenceSpan(exchangeRequest(), exchangeResponse(), diagnosedCall(), names);
    for (const name of ['cache_creation', 'cache_write']) {
      const tokens = attributes[`gen_ai.usage.${name}.input_tokens`];
      expect(tokens, name).toBe(expected.includes(name) ? 310 : undefined);
    }
  });

  it('says of a stream that it was one, and after how many seconds the first chunk came', () => {
    const response = exchangeResponse({ firstChunkAtMs: START_MS + 350 });
    const { attributes } = inferenceSpan(exchangeRequest(), response, diagnosedCall(), OLDER);
    expect(attributes).toMatchObject({
      'gen_ai.request.stream': true,
      'gen_ai.response.time_to_first_chunk': 0.35,
    });
  });

  it('names the model that was asked for, and where that is not known the one that answered', () => {
    const modelOf = (requestModel: string | null) => {
      const call = diagnosedCall({ model: 'claude-sonnet-5-20260901' }, { requestModel });
      return inferenceSpan(exchangeRequest(), exchangeResponse(), call, OLDER).attributes[
        'gen_ai.request.model'
      ];
    };
    expect(modelOf('claude-sonnet-5')).toBe('claude-sonnet-5');
    expect(modelOf(null)).toBe('claude-sonnet-5-20260901');
  });

  it('has a conversation id only where the application declared a thread', () => {
    const request = exchangeRequest({ scope: {}, suggestedScope: { thread: 'guessed' } });
    const { attributes } = inferenceSpan(request, exchangeResponse(), diagnosedCall(), OLDER);
    expect(attributes).not.toHaveProperty('gen_ai.conversation.id');
  });

  it('is named after the operation alone where the model is unknown', () => {
    const request = exchangeRequest({ api: 'google.generateContent', endpoint: '127.0.0.1:8080' });
    const span = inferenceSpan(request, exchangeResponse(), undefined, OLDER);
    expect(span.name).toBe('generate_content');
    expect(span.attributes).toMatchObject({ 'server.address': '127.0.0.1', 'server.port': 8080 });
  });

  it.each([
    [
      { ending: 'failed', status: 529, error: { type: 'overloaded_error', message: 'secret' } },
      'overloaded_error',
    ],
    [{ ending: 'failed', status: 500, error: { type: 'a sentence with "quotes"' } }, '500'],
    [{ ending: 'failed', status: undefined }, '_OTHER'],
    [{ ending: 'canceled' }, undefined],
  ] as const)('tells the error of %j as one word', (response, expected) => {
    const { attributes } = inferenceSpan(exchangeRequest(), exchangeResponse(response), undefined, OLDER);
    expect(attributes['error.type']).toBe(expected);
    expect(JSON.stringify(attributes)).not.toContain('secret');
  });

  it.each([
    [{ output_tokens: 0 }, 0],
    [{ completion_tokens: 7 }, 7],
    [{ outputTokens: 8 }, 8],
    [{ candidatesTokenCount: 5, thoughtsTokenCount: 20 }, 25],
    [{ output_tokens: 'many' }, undefined],
    [null, undefined],
  ])('reads output tokens from %j', (usage, expected) => {
    const { attributes } = inferenceSpan(exchangeRequest(), exchangeResponse({ usage }), undefined, OLDER);
    expect(attributes['gen_ai.usage.output_tokens']).toBe(expected);
  });
});

it.each<[Api, string | undefined, string]>([
  ['anthropic.messages', 'api.anthropic.com', 'anthropic'],
  ['anthropic.messages', 'bedrock-runtime.us-east-1.amazonaws.com', 'aws.bedrock'],
  ['anthropic.messages', 'us-east5-aiplatform.googleapis.com', 'gcp.vertex_ai'],
  ['openai.chat', 'my-team.openai.azure.com', 'azure.ai.openai'],
  ['openai.chat', 'api.x.ai', 'x_ai'],
  ['openai.chat', 'max.ai', 'openai'],
  ['openai.chat', 'localhost', 'openai'],
  ['openai.responses', undefined, 'openai'],
  ['google.generateContent', 'generativelanguage.googleapis.com', 'gcp.gemini'],
  ['bedrock.converse', undefined, 'aws.bedrock'],
])('%s at %s is told as %s', (api, host, expected) => {
  expect(providerName(api, host)).toBe(expected);
});
