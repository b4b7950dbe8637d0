/** Answers that go back into the history just as they came: a clean stretch for every API, foretold to the token. */
import { describe, expect, it } from 'vitest';
import type { Api, JsonObject } from '../../src/exchange.ts';
import type { Reply } from '../../src/model-server/index.ts';
import { type PlayedCall, Stage } from './support/played-agent.ts';
import { MARK, MINUTE_MS } from './support/providers.ts';
import { type Random, randomOf } from './support/random.ts';

type Messages = readonly JsonObject[];

/** How one API takes an answer back and the results of its tool calls after it. */
interface Replay {
  readonly api: Api;
  readonly body: (messages: Messages, random: Random) => JsonObject;
  readonly question: (text: string) => JsonObject;
  readonly replayed: (answer: JsonObject, text: string) => Messages;
}

const list = (value: unknown) => value as readonly JsonObject[];

function anthropic(model: string, fields: JsonObject = {}): Replay {
  return {
    api: 'anthropic.messages',
    body: (messages, random) => ({
      model,
      max_tokens: 1_000,
      cache_control: MARK,
      tools: [
        {
          name: 'search',
          description: random.text(500),
          input_schema: { type: 'object', properties: { q: { type: 'string' } } },
        },
      ],
      system: random.text(5_000),
      messages,
      ...fields,
    }),
    question: (text) => ({ role: 'user', content: text }),
    replayed: ({ content }, text) => {
      const calls = list(content).filter(({ type }) => type === 'tool_use');
      const results = calls.map(({ id }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: text,
        is_error: false,
      }));
      return [
        { role: 'assistant', content: list(content) },
        { role: 'user', content: results.length > 0 ? results : text },
      ];
    },
  };
}

const chat: Replay = {
  api: 'openai.chat',
  body: (messages, random) => ({
    model: 'gpt-5.1',
    messages: [{ role: 'system', content: random.text(2_000) }, ...messages],
  }),
  question: (text) => ({ role: 'user', content: text }),
  replayed: ({ choices }, text) => {
    const message = list(choices)[0]?.message as JsonObject;
    const results = list(message.tool_calls ?? []).map(({ id }) => ({
      role: 'tool',
      tool_call_id: id,
      content: text,
    }));
    return [message, ...(results.length > 0 ? results : [{ role: 'user', content: text }])];
  },
};

const responses: Replay = {
  api: 'openai.responses',
  body: (input, random) => ({ model: 'gpt-5.6', instructions: random.text(2_000), input, store: false }),
  question: (text) => ({ role: 'user', content: text }),
  replayed: ({ output }, text) => {
    const calls = list(output).filter(({ type }) => type === 'function_call');
    const results = calls.map(({ call_id: callId }) => ({
      type: 'function_call_output',
      call_id: callId,
      output: text,
    }));
    return [...list(output), ...(results.length > 0 ? results : [{ role: 'user', content: text }])];
  },
};

function replyOf(random: Random): Reply {
  const toolCalls = Array.from({ length: random.int(3) }, () => ({
    name: 'search',
    input: { q: random.text(5) },
  }));
  return { thinking: random.text(80), text: random.text(40), toolCalls };
}

async function playReplaying(replay: Replay, seed: number, calls: number): Promise<PlayedCall[]> {
  const random = randomOf(seed);
  const stage = await Stage.open({ reply: () => replyOf(random) });
  let messages: Messages = [replay.question(random.text(100))];
  const played: PlayedCall[] = [];
  for (let index = 0; index < calls; index += 1) {
    stage.wait(5_000);
    const call = await stage.play(replay.api, replay.body(messages, randomOf(99)));
    played.push(call);
    messages = [...messages, ...replay.replayed(call.answer, random.text(60))];
  }
  return played;
}

const CASES: readonly [string, Replay][] = [
  [
    'Anthropic, thinking kept',
    anthropic('claude-opus-4-8', { thinking: { type: 'enabled', budget_tokens: 2_000 } }),
  ],
  ['OpenAI Chat', chat],
  ['OpenAI Responses', responses],
];

describe.each(CASES)('%s', (_name, replay) => {
  it.each([1, 2, 3])('reads on, and nothing is found (seed %i)', async (seed) => {
    const played = await playReplaying(replay, seed, 8);
    for (const [index, { diagnosis, read }] of played.entries()) {
      expect(diagnosis).toMatchObject({
        divergence: null,
        miss: null,
        finding: false,
        lineage: 'l1',
        turn: index + 1,
      });
      if (index > 0) expect(read).toBeGreaterThan(0);
      expect(Math.abs((diagnosis.tokens.expectedRead ?? 0) - read)).toBeLessThanOrEqual(
        replay === chat ? 128 : 1,
      );
    }
  });
});

describe('thinking that the server drops', () => {
  it.each([1, 2, 3])(
    'is named where the read was lost, and the prompt is not blamed (seed %i)',
    async (seed) => {
      const replay = anthropic('claude-haiku-4-5', { thinking: { type: 'enabled', budget_tokens: 2_000 } });
      const played = await playReplaying(replay, seed, 8);
      for (const { diagnosis, read } of played.slice(1)) {
        expect(diagnosis.divergence).toBeNull();
        if (diagnosis.finding) expect(diagnosis.miss).toBe('server_strips_thinking');
        if (diagnosis.outcome === 'hit') expect(read).toBeGreaterThan(0);
      }
    },
  );
});

describe('a chain of previous_response_id', () => {
  it.each([1, 2])('is put together again and foretold (seed %i)', async (seed) => {
    const random = randomOf(seed);
    const stage = await Stage.open();
    const instructions = random.text(2_000);
    let previous: string | undefined;
    for (let index = 0; index < 5; index += 1) {
      stage.wait(MINUTE_MS);
      const input = [{ role: 'user', content: random.text(80) }];
      const call = await stage.play('openai.responses', {
        model: 'gpt-5.6',
        instructions,
        input,
        ...(previous && { previous_response_id: previous }),
      });
      expect(call.diagnosis).toMatchObject({
        divergence: null,
        miss: null,
        finding: false,
        lineage: 'l1',
        turn: index + 1,
      });
      expect(call.diagnosis.tokens.expectedRead).toBe(call.read);
      previous = String(call.answer.id);
    }
  });
});
