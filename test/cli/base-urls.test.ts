import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText } from 'ai';
import { describe, expect, it } from 'vitest';
import { redirectBaseUrls } from '../../cli/proxy/base-urls.ts';
import { upstreamOf } from '../../src/proxy/target.ts';

const PROXY = 'http://127.0.0.1:4100';

/** Where a request goes that a client makes of its base URL and a path. */
function addressOf(environment: Record<string, string>, name: string, path: string): string | undefined {
  const { targets, variables } = redirectBaseUrls(environment);
  const baseUrl = variables(PROXY)[name];
  const upstream = baseUrl && upstreamOf(targets, new URL(baseUrl + path).pathname);
  return upstream ? upstream.url.origin + upstream.path : undefined;
}

describe('the base URLs of a command', () => {
  it.each([
    ['ANTHROPIC_BASE_URL', '/v1/messages', 'https://api.anthropic.com/v1/messages'],
    ['ANTHROPIC_API_BASE', '/v1/messages', 'https://api.anthropic.com/v1/messages'],
    ['OPENAI_BASE_URL', '/chat/completions', 'https://api.openai.com/v1/chat/completions'],
    ['OPENAI_API_BASE', '/responses', 'https://api.openai.com/v1/responses'],
    [
      'GOOGLE_GEMINI_BASE_URL',
      '/v1beta/models/gemini-3-pro:generateContent',
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro:generateContent',
    ],
    ['GROQ_BASE_URL', '/openai/v1/chat/completions', 'https://api.groq.com/openai/v1/chat/completions'],
    ['XAI_API_BASE', '/chat/completions', 'https://api.x.ai/v1/chat/completions'],
  ])('lead by %s and %s to the official address', (name, path, address) => {
    expect(addressOf({}, name, path)).toBe(address);
  });

  it('lead to where they were set to', () => {
    const environment = {
      ANTHROPIC_BASE_URL: 'https://gateway.example.com/anthropic/',
      OPENAI_BASE_URL: 'http://localhost:8000/v1',
      OLLAMA_API_BASE: 'http://localhost:11434',
    };
    expect(addressOf(environment, 'ANTHROPIC_BASE_URL', 'v1/messages')).toBe(
      'https://gateway.example.com/anthropic/v1/messages',
    );
    expect(addressOf(environment, 'OPENAI_BASE_URL', '/responses')).toBe(
      'http://localhost:8000/v1/responses',
    );
    expect(addressOf(environment, 'OLLAMA_API_BASE', '/api/chat')).toBe('http://localhost:11434/api/chat');
    expect(addressOf(environment, 'ANTHROPIC_API_BASE', '/v1/messages')).toBeUndefined();
  });

  it('stay as they are where they cannot be read', () => {
    expect(redirectBaseUrls({ OPENAI_BASE_URL: 'localhost' }).variables(PROXY)).not.toHaveProperty(
      'OPENAI_BASE_URL',
    );
  });

  it('serve the AI SDK, which takes the version as part of them', async () => {
    const { targets, variables } = redirectBaseUrls({});
    const asked: string[] = [];
    const anthropic = createAnthropic({
      ...{ apiKey: 'k', baseURL: variables(PROXY).ANTHROPIC_BASE_URL ?? '' },
      async fetch(input) {
        asked.push(new URL(String(input)).pathname);
        return new Response('{}', { status: 400 });
      },
    });
    await generateText({ model: anthropic('claude-sonnet-5'), prompt: 'hi' }).catch(() => undefined);
    const [upstream] = asked.map((path) => upstreamOf(targets, path));
    expect(`${upstream?.url.origin}${upstream?.path}`).toBe('https://api.anthropic.com/v1/messages');
  });

  it('lead nowhere from the beginning of another name', () => {
    const { targets } = redirectBaseUrls({});
    expect(upstreamOf(targets, '/api.anthropic.com.evil.test/v1/messages')).toBeUndefined();
    expect(upstreamOf(targets, '/api.anthropic.com?x=1')?.path).toBe('/?x=1');
  });
});
