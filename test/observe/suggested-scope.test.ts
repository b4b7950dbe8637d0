import { describe, expect, it } from 'vitest';
import { allowedHeaders } from '../../src/headers.ts';
import { suggestScope } from '../../src/suggested-scope.ts';

const SESSION = '0190f0a2-6e1c-7b2d-9d3f-1c2b3a4d5e6f';

describe('suggestScope', () => {
  it.each([
    [
      'the session inside a Claude Code user id',
      { metadata: { user_id: `user_ab12_account_cd34_session_${SESSION}` } },
      SESSION,
    ],
    [
      'the session of a user id in JSON',
      { metadata: { user_id: JSON.stringify({ device_id: 'd', session_id: SESSION }) } },
      SESSION,
    ],
    [
      'an empty account in a Claude Code user id',
      { metadata: { user_id: `user_ab_account__session_${SESSION}` } },
      SESSION,
    ],
    ['a session id of OpenRouter', { session_id: 's-1', prompt_cache_key: 'k' }, 's-1'],
    ['a conversation id', { conversation: 'conv_1', prompt_cache_key: 'k' }, 'conv_1'],
    ['a conversation object', { conversation: { id: 'conv_2' } }, 'conv_2'],
    ['a cache key', { prompt_cache_key: 'k', user: 'u' }, 'k'],
  ])('reads %s', (_, body, thread) => {
    expect(suggestScope({ body })).toEqual({ thread });
  });

  it('shows any other user as a short hash, not as a conversation and not in clear', () => {
    const thread = suggestScope({ body: { metadata: { user_id: 'ada@example.com' } } })?.thread;
    expect(thread).toMatch(/^user:[0-9a-f]{8}$/);
    expect(suggestScope({ body: { user: 'ada@example.com' } })?.thread).toBe(thread);
  });

  it('prefers a session header to the body, and a span to a cache key', () => {
    const body = { prompt_cache_key: 'k' };
    expect(suggestScope({ body, headers: { 'x-grok-conv-id': 'g' } })).toEqual({ thread: 'g' });
    expect(suggestScope({ body, conversationId: 'span' })).toEqual({ thread: 'span' });
  });

  it('reads which sub-agent of Claude Code is calling', () => {
    const headers = { 'x-claude-code-session-id': 's', 'x-claude-code-agent-id': 'a' };
    expect(suggestScope({ headers })).toEqual({ thread: 's', delegation: 'a' });
  });

  it('suggests nothing where the traffic says nothing, or nonsense', () => {
    expect(suggestScope({})).toBeUndefined();
    expect(
      suggestScope({ body: { metadata: null, conversation: 7, prompt_cache_key: ' ' } }),
    ).toBeUndefined();
    expect(suggestScope({ body: { metadata: { user_id: '{broken' } } })?.thread).toMatch(/^user:/);
  });
});

describe('allowedHeaders', () => {
  it('keeps what takes part in caching and drops credentials, whatever their case', () => {
    const headers = new Headers({
      'Anthropic-Beta': 'a',
      Authorization: 'Bearer secret',
      'X-Api-Key': 'secret',
      'x-goog-api-key': 'secret',
      'X-Session-Id': 's',
      cookie: 'secret',
    });
    expect(allowedHeaders(headers)).toEqual({ 'anthropic-beta': 'a', 'x-session-id': 's' });
    expect(
      allowedHeaders([
        ['anthropic-beta', 'a'],
        ['ANTHROPIC-BETA', 'b'],
      ]),
    ).toEqual({ 'anthropic-beta': 'a, b' });
    expect(allowedHeaders([])).toBeUndefined();
  });
});
