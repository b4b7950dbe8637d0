/** A changed setting, against the model server: what is still read, and that the setting is blamed for the rest. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/exchange.ts';
import { grown, openingOf } from './support/agent-script.ts';
import { Stage } from './support/played-agent.ts';
import { bodyOf, markLast, PROVIDERS, type Provider } from './support/providers.ts';
import { randomOf } from './support/random.ts';

const THREE_MARKS = PROVIDERS['Anthropic, tools, system and last block marked'] as Provider;
const CHAT = PROVIDERS['OpenAI Chat, gpt-5.1'] as Provider;
const RESPONSES = PROVIDERS['OpenAI Responses, gpt-5.6'] as Provider;

async function playChange(provider: Provider, before: JsonObject, after: JsonObject) {
  const random = randomOf(3);
  const stage = await Stage.open();
  const opening = openingOf(random, { head: 14_000, question: 1_200 });
  await stage.play(provider.api, { ...bodyOf(provider, opening), ...before });
  stage.wait(10_000);
  return stage.play(provider.api, { ...bodyOf(provider, grown(opening, random)), ...after });
}

const SCHEMA = { type: 'json_schema', schema: { type: 'object', properties: { a: { type: 'string' } } } };

describe('Anthropic', () => {
  it.each<[string, JsonObject, JsonObject, string]>([
    ['tool_choice', {}, { tool_choice: { type: 'any' } }, 'parameters.tool_choice'],
    [
      'another tool_choice',
      { tool_choice: { type: 'any' } },
      { tool_choice: { type: 'tool', name: 'tool_0' } },
      'parameters.tool_choice',
    ],
    ['thinking', {}, { thinking: { type: 'enabled', budget_tokens: 2_000 } }, 'parameters.reasoning'],
    [
      'the thinking budget',
      { thinking: { type: 'enabled', budget_tokens: 2_000 } },
      { thinking: { type: 'enabled', budget_tokens: 4_000 } },
      'parameters.reasoning',
    ],
    [
      'effort',
      { output_config: { effort: 'low' } },
      { output_config: { effort: 'medium' } },
      'parameters.reasoning',
    ],
    ['the output format', {}, { output_config: { format: SCHEMA } }, 'parameters.response_schema'],
    ['speed', {}, { speed: 'fast' }, 'parameters.beta_header'],
    ['the model', {}, { model: 'claude-opus-4-8' }, 'model.switched'],
  ])('%s', async (_name, before, after, kind) => {
    const { diagnosis, read } = await playChange(THREE_MARKS, before, after);
    expect(diagnosis).toMatchObject({ divergence: { kind }, finding: true });
    expect(Math.abs((diagnosis.tokens.expectedRead ?? 0) - read)).toBeLessThanOrEqual(read * 0.03);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['max_tokens', { max_tokens: 100 }, { max_tokens: 200 }],
    ['temperature', { temperature: 1 }, { temperature: 0.2 }],
    ['an effort that is the default', {}, { output_config: { effort: 'high' } }],
    ['metadata', { metadata: { user_id: 'a' } }, { metadata: { user_id: 'b' } }],
  ])('%s changes nothing', async (_name, before, after) => {
    const { diagnosis, read } = await playChange(THREE_MARKS, before, after);
    expect(diagnosis).toMatchObject({ divergence: null, miss: null, finding: false, outcome: 'hit' });
    expect(diagnosis.tokens.expectedRead).toBe(read);
  });

  it('keeps the tools and loses the rest when web search is switched on', async () => {
    const provider: Provider = { ...THREE_MARKS, mark: (body) => (THREE_MARKS.mark ?? markLast)(body) };
    const random = randomOf(4);
    const stage = await Stage.open();
    const opening = openingOf(random, { head: 14_000, question: 1_200 });
    await stage.play(provider.api, bodyOf(provider, opening));
    const body = bodyOf(provider, grown(opening, random));
    const tools = [...(body.tools as JsonObject[]), { type: 'web_search_20250305', name: 'web_search' }];
    const { diagnosis, read } = await stage.play(provider.api, { ...body, tools });
    expect(diagnosis.divergence).toMatchObject({ component: 'parameters', kind: 'parameters.beta_header' });
    expect(Math.abs((diagnosis.tokens.expectedRead ?? 0) - read)).toBeLessThanOrEqual(read * 0.03);
  });
});

describe.each([
  [
    'OpenAI Chat',
    CHAT,
    { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } } },
    { reasoning_effort: 'low' },
    { verbosity: 'low' },
  ],
  [
    'OpenAI Responses',
    RESPONSES,
    { text: { format: { ...SCHEMA, name: 'a' } } },
    { reasoning: { effort: 'low' } },
    { text: { verbosity: 'low' } },
  ],
] as const)('%s', (_name, provider, schema, effort, verbosity) => {
  it.each<[string, JsonObject, string]>([
    ['the schema of the answer', schema, 'parameters.response_schema'],
    ['reasoning effort', effort, 'parameters.reasoning'],
    ['verbosity', verbosity, 'parameters.response_schema'],
    ['parallel tool calls', { parallel_tool_calls: false }, 'parameters.tool_choice'],
    ['the service tier', { service_tier: 'flex' }, 'parameters.service_tier'],
  ])('%s loses everything', async (_setting, after, kind) => {
    const { diagnosis, read } = await playChange(provider, {}, after);
    expect(read).toBe(0);
    expect(diagnosis).toMatchObject({ divergence: { kind }, finding: true });
  });

  it.each<[string, JsonObject]>([
    ['temperature', { temperature: 0.2 }],
    ['metadata', { metadata: { run: 'b' } }],
    ['a setting at its documented default', { parallel_tool_calls: true }],
    ['a tier that is the default', { service_tier: 'default' }],
  ])('%s changes nothing', async (_setting, after) => {
    const { diagnosis, read } = await playChange(provider, {}, after);
    expect(read).toBeGreaterThan(10_000);
    expect(diagnosis).toMatchObject({ finding: false, miss: null, outcome: 'hit' });
  });
});
