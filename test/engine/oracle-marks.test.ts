/** Faults of marks, short prompts and calls in flight together, played against the model server. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/exchange.ts';
import { grown, openingOf } from './support/agent-script.ts';
import type { Conversation } from './support/conversation.ts';
import { type PlayedCall, Stage } from './support/played-agent.ts';
import {
  ANTHROPIC,
  bodyOf,
  MARK,
  MINUTE_MS,
  markLast,
  markSystem,
  PROVIDERS,
  type Provider,
  withMarkAtEnd,
} from './support/providers.ts';
import { type Random, randomOf } from './support/random.ts';

const PLAIN: Provider = { ...ANTHROPIC, events: [] };
const HOUR_MARK = { type: 'ephemeral', ttl: '1h' };

/** Plays a growing conversation, with another way of marking for each call. */
async function playMarked(
  seed: number,
  ways: readonly ((body: JsonObject) => JsonObject)[],
  head = 4_000,
): Promise<PlayedCall[]> {
  const random = randomOf(seed);
  const stage = await Stage.open();
  let conversation = openingOf(random, { head, question: 300 });
  const calls: PlayedCall[] = [];
  for (const way of ways) {
    stage.wait(10_000);
    calls.push(await stage.play('anthropic.messages', way(bodyOf(PLAIN, conversation))));
    conversation = grown(conversation, random);
  }
  return calls;
}

/** Marks the only block of the first message and no later one. */
function markFirst(body: JsonObject): JsonObject {
  const [first, ...rest] = body.messages as JsonObject[];
  return { ...body, messages: [{ ...first, content: withMarkAtEnd(first?.content) }, ...rest] };
}

const asIs = (body: JsonObject) => body;
const SEEDS = [1, 2, 3, 4];

describe.each(SEEDS)('marks (seed %i)', (seed) => {
  it('that never stood are missing from the second call on', async () => {
    const calls = await playMarked(seed, [asIs, asIs, asIs]);
    expect(calls.map(({ read }) => read)).toEqual([0, 0, 0]);
    expect(calls[0]?.diagnosis).toMatchObject({ divergence: null, miss: null, finding: false });
    for (const { diagnosis } of calls.slice(1)) {
      expect(diagnosis).toMatchObject({
        divergence: { kind: 'breakpoints.missing' },
        miss: 'no_breakpoint',
        finding: true,
      });
    }
  });

  it('that got lost for one call are missing there and nowhere else', async () => {
    const calls = await playMarked(seed, [markLast, markLast, asIs, markLast, markLast]);
    expect(calls[2]?.diagnosis).toMatchObject({
      divergence: { kind: 'breakpoints.missing' },
      miss: 'no_breakpoint',
      finding: true,
    });
    for (const { diagnosis, read } of [calls[1], calls[3], calls[4]] as PlayedCall[]) {
      expect(diagnosis).toMatchObject({ divergence: null, finding: false });
      expect(diagnosis.tokens.expectedRead).toBe(read);
    }
  });

  it('that moved in front of every entry reach none', async () => {
    const calls = await playMarked(seed, [markLast, markLast, markLast, (body) => markSystem(body)]);
    const last = calls.at(-1) as PlayedCall;
    expect(last.read).toBe(0);
    expect(last.diagnosis).toMatchObject({
      divergence: { kind: 'breakpoints.moved' },
      miss: 'no_reachable_entry',
      finding: true,
    });
    expect(last.diagnosis.tokens.expectedRead).toBe(0);
  });

  it('that stay on an early block read what was written there', async () => {
    const calls = await playMarked(seed, [markLast, markFirst, markFirst]);
    for (const { diagnosis, read } of calls.slice(1)) {
      expect(read).toBeGreaterThan(0);
      expect(Math.abs((diagnosis.tokens.expectedRead ?? 0) - read)).toBeLessThanOrEqual(read * 0.03);
    }
  });

  it('for an hour outlive five minutes', async () => {
    const random = randomOf(seed);
    const stage = await Stage.open();
    let conversation = openingOf(random, { head: 4_000, question: 300 });
    for (const waitMs of [0, 20, 50, 61].map((minutes) => minutes * MINUTE_MS)) {
      stage.wait(waitMs);
      const body = bodyOf(PLAIN, conversation);
      const call = await stage.play('anthropic.messages', { ...body, cache_control: HOUR_MARK });
      expect(call.diagnosis.tokens.expectedRead).toBe(call.read);
      expect(call.diagnosis.miss).toBe(waitMs > 60 * MINUTE_MS ? 'ttl_expired' : null);
      conversation = grown(conversation, random);
    }
  });
});

function withShortTurn(conversation: Conversation, random: Random): Conversation {
  const say = (role: 'user' | 'assistant') => ({
    role,
    parts: [{ kind: 'text' as const, text: random.text(15) }],
  });
  return { ...conversation, messages: [...conversation.messages, say('assistant'), say('user')] };
}

describe('prompts below the minimum of the model', () => {
  it.each(SEEDS)('are named so and blamed on nothing else (seed %i)', async (seed) => {
    const random = randomOf(seed);
    const stage = await Stage.open();
    const opening = openingOf(random, { head: 150, question: 50 });
    const longer = withShortTurn(opening, random);
    for (const conversation of [opening, longer, withShortTurn(longer, random)]) {
      const { diagnosis, read } = await stage.play(
        'anthropic.messages',
        markLast(bodyOf(PLAIN, conversation)),
      );
      expect(read).toBe(0);
      expect(diagnosis).toMatchObject({ divergence: null, miss: 'below_minimum', finding: false });
      expect(diagnosis.tokens.expectedRead).toBe(0);
    }
  });

  it.each(['OpenAI Chat, gpt-5.1', 'OpenAI Responses, gpt-5.6'])('are no finding for %s', async (name) => {
    const provider = PROVIDERS[name] as Provider;
    const random = randomOf(7);
    const stage = await Stage.open();
    let conversation = openingOf(random, { head: 150, question: 50 });
    for (let index = 0; index < 3; index += 1) {
      const { diagnosis, read } = await stage.play(provider.api, bodyOf(provider, conversation));
      conversation = withShortTurn(conversation, random);
      expect(read).toBe(0);
      expect(diagnosis).toMatchObject({ divergence: null, miss: 'below_minimum', finding: false });
    }
  });
});

describe('calls in flight together', () => {
  const conversationOf = (seed: number): Conversation =>
    openingOf(randomOf(seed), { head: 5_000, question: 300 });

  it.each(Object.keys(PROVIDERS))(
    '%s: the second of two equal first calls came before the entry could be read',
    async (name) => {
      const provider = PROVIDERS[name] as Provider;
      const stage = await Stage.open();
      const body = bodyOf(provider, conversationOf(1));
      const [first, second] = await stage.playTogether(provider.api, [body, body]);
      expect([first?.read, second?.read]).toEqual([0, 0]);
      expect(first?.diagnosis).toMatchObject({ divergence: null, miss: null, finding: false });
      expect(second?.diagnosis).toMatchObject({
        divergence: null,
        miss: 'concurrent_before_write',
        finding: true,
      });
      expect(second?.diagnosis.tokens.expectedRead).toBe(0);
    },
  );

  it.each(Object.keys(PROVIDERS))(
    '%s: lanes that start from one finished call read it, all of them',
    async (name) => {
      const provider = PROVIDERS[name] as Provider;
      const stage = await Stage.open();
      const opening = conversationOf(2);
      await stage.play(provider.api, bodyOf(provider, opening));
      stage.wait(5_000);
      const lanes = [11, 12, 13].map((seed) => bodyOf(provider, grown(opening, randomOf(seed))));
      for (const { diagnosis, read } of await stage.playTogether(provider.api, lanes)) {
        expect(read).toBeGreaterThan(4_000);
        expect(diagnosis).toMatchObject({ divergence: null, miss: null, finding: false });
        const tolerance = provider.api === 'openai.chat' ? 128 : read * 0.03;
        expect(Math.abs((diagnosis.tokens.expectedRead ?? 0) - read)).toBeLessThanOrEqual(tolerance);
      }
    },
  );
});

describe('automatic caching beside explicit marks', () => {
  it('is foretold like any other mark', async () => {
    const both = (body: JsonObject) => ({ ...markSystem(body), cache_control: MARK });
    for (const { diagnosis, read } of await playMarked(5, [both, both, both])) {
      expect(diagnosis).toMatchObject({ divergence: null, miss: null, finding: false });
      expect(diagnosis.tokens.expectedRead).toBe(read);
    }
  });
});
