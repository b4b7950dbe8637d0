/**
 * Faults that the engine once had, found by the oracle and by reading, each told as it should be.
 */
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/diagnose.ts';
import type { JsonObject } from '../../src/exchange.ts';
import { type Event, next, openingOf } from './support/agent-script.ts';
import { body, diagnosesOf, exchange, finished, messages, usage } from './support/dialogue.ts';
import { Stage } from './support/played-agent.ts';
import { bodyOf, MINUTE_MS, PROVIDERS, type Provider } from './support/providers.ts';
import { randomOf } from './support/random.ts';

describe('src/prompt', () => {
  it('openai.responses: the order of fields in a part of a reasoning summary means nothing', async () => {
    const call = (part: JsonObject) => ({
      api: 'openai.responses' as const,
      body: {
        model: 'gpt-5.6',
        input: [
          { role: 'user', content: 'Hi' },
          { type: 'reasoning', id: 'rs_1', summary: [part] },
          { role: 'user', content: 'Go on' },
        ],
      },
    });
    const [, second] = await diagnosesOf([
      call({ type: 'summary_text', text: 'Hm.' }),
      call({ text: 'Hm.', type: 'summary_text' }),
    ]);
    expect(second?.divergence).toBeNull();
  });

  it('openai.chat: `prompt_cache_retention: "in_memory"` is ten minutes of idleness at most', async () => {
    const provider = {
      ...(PROVIDERS['OpenAI Chat, gpt-5.1'] as Provider),
      fields: { prompt_cache_retention: 'in_memory' },
    };
    const random = randomOf(1);
    const stage = await Stage.open();
    const opening = openingOf(random, { head: 4_000, question: 100 });
    await stage.play(provider.api, bodyOf(provider, opening));
    stage.wait(61 * MINUTE_MS);
    const { diagnosis } = await stage.play(
      provider.api,
      bodyOf(provider, next(opening, 'growth', random, [])),
    );
    expect(diagnosis).toMatchObject({ divergence: null, miss: 'ttl_expired' });
  });

  it('anthropic.messages: the first image of a conversation loses the messages, and is blamed for it', async () => {
    const provider = PROVIDERS['Anthropic, system and last block marked'] as Provider;
    const random = randomOf(2);
    const stage = await Stage.open();
    const opening = openingOf(random, { head: 4_000, question: 2_000 });
    await stage.play(provider.api, bodyOf(provider, opening));
    const longer = next(opening, 'growth', random, []);
    const image = { role: 'user' as const, parts: [{ kind: 'media' as const, data: 'AAAA' }] };
    const { diagnosis, read } = await stage.play(
      provider.api,
      bodyOf(provider, { ...longer, messages: [...longer.messages, image] }),
    );
    expect(diagnosis).toMatchObject({ miss: null, divergence: { kind: 'messages.first_image' } });
    // The head was never read by itself before: its size is an estimate.
    expect(Math.abs((diagnosis.tokens.expectedRead ?? 0) - read)).toBeLessThan(read * 0.01);
  });
});

describe('src/lineage', () => {
  it('two conversations that open with the same words are not taken for one whose history was edited', async () => {
    const call = (texts: readonly string[], read: number, written: number) => ({
      body: body(messages(...texts), { cache_control: { type: 'ephemeral' } }),
      response: usage(read, written),
    });
    const diagnoses = await diagnosesOf([
      call(['Hi'], 0, 5_000),
      call(['Hi'], 5_000, 0),
      call(['Hi', 'Hello, how can I help?', 'Book a table.'], 5_000, 60),
      call(['Hi', 'Good morning! What is it?', 'Plan a trip.'], 5_000, 60),
    ]);
    expect(diagnoses[3]).toMatchObject({ divergence: null, finding: false });
  });

  it('not even where the traffic says that they are two', async () => {
    const call = (thread: string, ...texts: readonly string[]) => ({
      body: body(messages(...texts)),
      suggestedScope: { thread },
    });
    const diagnoses = await diagnosesOf([
      call('a', 'Hi'),
      call('b', 'Hi'),
      call('a', 'Hi', 'Hello, how can I help?', 'Book a table.'),
      call('b', 'Hi', 'Good morning! What is it?', 'Plan a trip.'),
    ]);
    expect(diagnoses[3]).toMatchObject({ divergence: null, finding: false, baseline: 1 });
  });
});

describe('src/diagnose, src/cache', () => {
  it('openai.chat before GPT-5.6: a head that changes back is read again, and that is foretold', async () => {
    const provider = PROVIDERS['OpenAI Chat, gpt-5.1'] as Provider;
    const random = randomOf(5);
    const stage = await Stage.open();
    let conversation = openingOf(random, { head: 4_000, question: 100 });
    const said = [conversation];
    await stage.play(provider.api, bodyOf(provider, conversation));
    for (const event of ['growth', 'tool description', 'back again'] satisfies Event[]) {
      conversation = next(conversation, event, random, said);
      said.push(conversation);
      const { diagnosis, read } = await stage.play(provider.api, bodyOf(provider, conversation));
      expect(Math.abs((diagnosis.tokens.expectedRead ?? 0) - read)).toBeLessThanOrEqual(128);
    }
  });
});

describe('src/cost', () => {
  it.each([8.64e15 + 1, Number.NaN])(
    'a time that no calendar holds costs the price at most, not the diagnosis (%d)',
    async (atMs) => {
      const [call] = await diagnosesOf([
        { body: body(messages('Hi'), { model: 'claude-sonnet-4-6' }), atMs, response: usage(0, 2_000) },
      ]);
      expect(call?.at).toBeNull();
    },
  );
});

describe('src/divergence', () => {
  // Seconds at twenty kilobytes, and four times that for twice the text; what is linear takes milliseconds.
  it.each(['\t', '<a '])(
    'a long run of %j around a change is looked through in linear time',
    async (unit) => {
      const run = unit.repeat(20_000 / unit.length);
      const engine = await createEngine();
      const said = (middle: string) => messages(`${run}${middle}${run}`, 'Understood.', 'Go on.');
      finished(engine.start(exchange({ body: body(said('one')) })));
      const startMs = performance.now();
      finished(engine.start(exchange({ body: body(said('two')) })));
      expect(performance.now() - startMs).toBeLessThan(150);
    },
  );
});
