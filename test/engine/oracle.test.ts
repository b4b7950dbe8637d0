/** Random agents against the model server: the engine foretells what the server reads, and names what was done to it. */
import { describe, expect, it } from 'vitest';
import { type Event, next, openingOf } from './support/agent-script.ts';
import type { Conversation } from './support/conversation.ts';
import { type PlayedCall, Stage } from './support/played-agent.ts';
import { bodyOf, PROVIDERS, type Provider } from './support/providers.ts';
import { randomOf } from './support/random.ts';

/** What the engine must blame for a call that lost tokens to an event. */
const COMPONENT: Partial<Record<Event, string>> = {
  'tool description': 'tools',
  'tools reordered': 'tools',
  'tool added': 'tools',
  'system text': 'system',
  history: 'messages',
};

function complaints({ diagnosis, read }: PlayedCall, event: Event, { api }: Provider): string[] {
  const { divergence, miss, finding, outcome, tokens } = diagnosis;
  const wrong: string[] = [];
  const expected = tokens.expectedRead;
  const tolerance = Math.max(read * 0.03, api.startsWith('openai') ? 128 : 16);
  if (expected === null || Math.abs(expected - read) > tolerance)
    wrong.push(`expects to read ${expected}, the server read ${read}`);
  if (event === 'growth' && (divergence || miss || finding))
    wrong.push(`blames growth: ${divergence?.kind ?? miss}, finding ${finding}`);
  if (outcome === 'hit' && !divergence && finding) wrong.push(`a hit is a finding: ${miss}`);
  const component = COMPONENT[event];
  if (component !== undefined && divergence?.component !== component)
    wrong.push(`blames ${divergence?.kind ?? miss}, not ${component}`);
  if (event === 'lapse' && (divergence || miss !== 'ttl_expired'))
    wrong.push(`blames ${divergence?.kind ?? miss}, not ttl_expired`);
  if (event === 'many blocks' && (divergence || miss !== 'lookback_exceeded'))
    wrong.push(`blames ${divergence?.kind ?? miss}, not lookback_exceeded`);
  return wrong;
}

const CALLS = 12;

describe.each(Object.entries(PROVIDERS))('%s', (_name, provider) => {
  it.each([1, 2, 3, 4, 5])('is foretold call by call (seed %i)', async (seed) => {
    const random = randomOf(seed);
    const stage = await Stage.open();
    let conversation = openingOf(random, {
      head: random.between(1_500, 6_000),
      question: random.between(20, 400),
    });
    const said: Conversation[] = [];
    const wrong: string[] = [];
    for (let index = 0; index < CALLS; index += 1) {
      const isQuiet = index === 0 || index === 1 || random.int(2) === 0;
      const event = isQuiet ? 'growth' : random.pick(provider.events);
      if (index > 0) {
        said.push(conversation);
        conversation = next(conversation, event, random, said);
      }
      stage.wait(event === 'lapse' ? provider.lapseMs : random.between(2_000, 60_000));
      const call = await stage.play(provider.api, bodyOf(provider, conversation));
      wrong.push(...complaints(call, event, provider).map((text) => `call ${index} (${event}): ${text}`));
    }
    expect(wrong).toEqual([]);
  });
});
