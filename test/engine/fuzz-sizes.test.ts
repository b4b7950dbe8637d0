/** Bodies that are very deep, very long or of very many messages are answered, and in time. */
import { describe, expect, it } from 'vitest';
import type { Api } from '../../src/exchange.ts';
import { expectAnswers } from './support/answers.ts';
import { FIELDS } from './support/fields.ts';
import { APIS, render } from './support/render.ts';

const SMALL = {
  tools: [],
  system: ['You help.'],
  effort: undefined,
  schema: undefined,
  messages: [
    { role: 'assistant' as const, parts: [{ kind: 'text' as const, text: 'Understood, thank you.' }] },
    { role: 'user' as const, parts: [{ kind: 'text' as const, text: 'Go on, please.' }] },
  ],
};

/** Where each API keeps its messages, and a message its parts. */
const MESSAGES: Record<Api, readonly [string, string]> = {
  'anthropic.messages': ['messages', 'content'],
  'openai.chat': ['messages', 'content'],
  'openai.responses': ['input', 'content'],
  'google.generateContent': ['contents', 'parts'],
  'bedrock.converse': ['messages', 'content'],
};

describe('sizes', () => {
  const LEVELS = 10_000;
  /** Generous: the machine may be busy. What is quadratic takes minutes. */
  const LIMIT_MS = 10_000;

  /** Every field of the API, each nested so deep. */
  function deepFields(api: Api, open: (field: string) => string, close: string): string {
    const nested = (field: string) => `${open(field).repeat(LEVELS)}1${close.repeat(LEVELS)}`;
    return FIELDS[api].map((field) => `"${field}":${nested(field)}`).join(',');
  }

  async function expectInTime(bodies: readonly string[], api: Api): Promise<void> {
    const startMs = performance.now();
    await expectAnswers(bodies.map((body) => ({ api, body, scope: {} })));
    expect(performance.now() - startMs).toBeLessThan(LIMIT_MS);
  }

  it.each(APIS)('%s: answers in time where every field is nested ten thousand levels deep', async (api) => {
    for (const fields of [
      deepFields(api, (field) => `{"${field}":`, '}'),
      deepFields(api, (field) => `{"type":"x","${field}":[`, ']}'),
    ]) {
      const [list, parts] = MESSAGES[api];
      await expectInTime([`{${fields}}`, `{"${list}":[{"role":"user","${parts}":[{${fields}}]}]}`], api);
    }
  });

  it.each(APIS)('%s: answers in time where one text of two megabytes changes in its middle', async (api) => {
    const half = 'The quick brown fox jumps over the lazy dog. '.repeat(22_000);
    const texts = [`${half}one${half}`, `${half}two${half}`];
    const messages = texts.map((text) => ({
      ...SMALL,
      messages: [{ role: 'user' as const, parts: [{ kind: 'text' as const, text }] }, ...SMALL.messages],
    }));
    await expectInTime(
      messages.map((conversation) => JSON.stringify(render(api, conversation).body)),
      api,
    );
  });

  it.each(APIS)('%s: answers in time to ten thousand messages of which an early one changes', async (api) => {
    const long = Array.from({ length: 5_000 }, (_, index) => [
      { role: 'user' as const, parts: [{ kind: 'text' as const, text: `question ${index}` }] },
      { role: 'assistant' as const, parts: [{ kind: 'text' as const, text: `answer ${index}` }] },
    ]).flat();
    const changed = long.map((message, index) =>
      index === 4
        ? { role: 'user' as const, parts: [{ kind: 'text' as const, text: 'another question' }] }
        : message,
    );
    await expectInTime(
      [long, changed].map((messages) => JSON.stringify(render(api, { ...SMALL, messages }).body)),
      api,
    );
  });
});
