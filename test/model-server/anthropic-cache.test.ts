import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import type { ModelServer } from '../../src/model-server/index.ts';
import { anthropicClient, gate, testServer, textOfTokens, until } from './support.ts';

type Params = Anthropic.MessageCreateParamsNonStreaming;
type Usage = Anthropic.Usage;

const MINUTE_MS = 60_000;
const MARK = { type: 'ephemeral' } as const;
const HOUR_MARK = { type: 'ephemeral', ttl: '1h' } as const;

function params(overrides: Partial<Params> = {}): Params {
  return {
    model: 'claude-sonnet-4-6',
    max_tokens: 100,
    system: [{ type: 'text', text: textOfTokens(2000), cache_control: MARK }],
    messages: [{ role: 'user', content: 'Hello' }],
    ...overrides,
  };
}

async function usageOf(
  server: ModelServer,
  overrides: Partial<Params> = {},
  apiKey?: string,
): Promise<Usage> {
  return (await anthropicClient(server, apiKey).messages.create(params(overrides))).usage;
}

function text(value: string, mark?: typeof MARK | typeof HOUR_MARK): Anthropic.TextBlockParam {
  return { type: 'text', text: value, ...(mark ? { cache_control: mark } : {}) };
}

function total(usage: Usage): number {
  return usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
}

const reads = (usage: Usage) => usage.cache_read_input_tokens ?? 0;
const writes = (usage: Usage) => usage.cache_creation_input_tokens ?? 0;

describe('a conversation that only grows', () => {
  it('reads what the turn before read and wrote', async () => {
    const server = await testServer();
    const messages: Anthropic.MessageParam[] = [];
    let before = 0;
    for (let turn = 0; turn < 4; turn++) {
      messages.push({ role: 'user', content: `Question ${turn} ${textOfTokens(50)}` });
      const usage = await usageOf(server, { cache_control: MARK, messages });
      expect(reads(usage)).toBe(before);
      expect(writes(usage)).toBeGreaterThan(0);
      expect(usage.input_tokens).toBe(0);
      before = reads(usage) + writes(usage);
      messages.push({ role: 'assistant', content: `Answer ${turn}` });
    }
  });

  it('counts tokens behind the last breakpoint as neither read nor written', async () => {
    const server = await testServer();
    const usage = await usageOf(server);
    expect(writes(usage)).toBe(Math.ceil(('system-prompt text\n'.length + 8000) / 4));
    expect(total(usage)).toBe(writes(usage) + usage.input_tokens);
    expect(usage.input_tokens).toBeGreaterThan(0);
  });

  it('treats a string and a single text block, a moved mark and another field order as the same prompt', async () => {
    const server = await testServer();
    const first = await usageOf(server, { messages: [{ role: 'user', content: [text('Hello', MARK)] }] });
    const second = await usageOf(server, {
      messages: [
        { content: 'Hello', role: 'user' },
        { role: 'assistant', content: 'Hi' },
        { role: 'user', content: [text('More', MARK)] },
      ],
    });
    expect(reads(second)).toBe(reads(first) + writes(first));
  });

  it('does not see entries of another credential or another model', async () => {
    const server = await testServer();
    await usageOf(server);
    expect(reads(await usageOf(server, {}, 'key-2'))).toBe(0);
    expect(reads(await usageOf(server, { model: 'claude-sonnet-4-5' }))).toBe(0);
    expect(reads(await usageOf(server))).toBeGreaterThan(0);
  });

  it('forgets everything on reset', async () => {
    const server = await testServer();
    await usageOf(server);
    server.reset();
    expect(reads(await usageOf(server))).toBe(0);
  });

  it('fills the cache without an answer for max_tokens 0', async () => {
    const server = await testServer();
    const warmUp = await anthropicClient(server).messages.create(params({ max_tokens: 0 }));
    expect(warmUp.content).toEqual([]);
    expect(reads(await usageOf(server))).toBe(writes(warmUp.usage));
  });
});

describe('lifetime', () => {
  it('ends five minutes after the last use, which refreshes it', async () => {
    const server = await testServer();
    await usageOf(server);
    server.advance(4 * MINUTE_MS);
    expect(reads(await usageOf(server))).toBeGreaterThan(0);
    server.advance(4 * MINUTE_MS);
    expect(reads(await usageOf(server))).toBeGreaterThan(0);
    server.advance(5 * MINUTE_MS + 1);
    expect(reads(await usageOf(server))).toBe(0);
  });

  it('counts from the start of the request, not from its end', async () => {
    const hold = gate();
    const server = await testServer({
      beforeFirstByte: ({ index }) => (index === 0 ? hold.opened : undefined),
    });
    const slow = usageOf(server);
    await until(() => server.requests[0]?.cache !== undefined);
    server.advance(4 * MINUTE_MS);
    hold.open();
    await slow;
    server.advance(2 * MINUTE_MS);
    expect(reads(await usageOf(server))).toBe(0);
  });

  it('is an hour where asked for, and both lifetimes are reported apart', async () => {
    const server = await testServer();
    const marked: Partial<Params> = {
      system: [text(textOfTokens(2000), HOUR_MARK)],
      messages: [{ role: 'user', content: [text(textOfTokens(500), MARK)] }],
    };
    const { cache_creation: creation, ...first } = await usageOf(server, marked);
    expect(creation?.ephemeral_1h_input_tokens).toBeGreaterThanOrEqual(2000);
    expect(creation?.ephemeral_5m_input_tokens).toBeGreaterThanOrEqual(500);
    expect(first.cache_creation_input_tokens).toBe(
      (creation?.ephemeral_1h_input_tokens ?? 0) + (creation?.ephemeral_5m_input_tokens ?? 0),
    );
    server.advance(30 * MINUTE_MS);
    const later = await usageOf(server, marked);
    expect(reads(later)).toBe(creation?.ephemeral_1h_input_tokens);
    expect(later.cache_creation?.ephemeral_1h_input_tokens).toBe(0);
  });
});

describe('availability', () => {
  it('begins when the writing answer begins, so parallel first requests all write', async () => {
    const hold = gate();
    const server = await testServer({ beforeFirstByte: () => hold.opened });
    const both = [usageOf(server), usageOf(server)];
    await until(() => server.requests.filter(({ cache }) => cache).length === 2);
    hold.open();
    for (const usage of await Promise.all(both)) {
      expect(reads(usage)).toBe(0);
      expect(writes(usage)).toBeGreaterThan(2000);
    }
    expect(reads(await usageOf(server))).toBeGreaterThan(2000);
  });

  it('begins before the answer ends', async () => {
    const server = await testServer();
    const stream = await anthropicClient(server).messages.create({ ...params(), stream: true });
    for await (const event of stream) {
      if (event.type !== 'message_start') continue;
      expect(reads(await usageOf(server))).toBe(writes(event.message.usage));
      break;
    }
  });
});

describe('minimum length', () => {
  it('silently does not cache a shorter prefix', async () => {
    const server = await testServer();
    const short = { system: [text(textOfTokens(900), MARK)] };
    expect(writes(await usageOf(server, short))).toBe(0);
    expect(reads(await usageOf(server, short))).toBe(0);
  });

  it.each([
    ['claude-opus-4-5', 4096],
    ['claude-opus-4-7', 2048],
    ['claude-opus-4-8', 1024],
    ['claude-opus-4-1', 1024],
    ['claude-fable-5-1', 512],
  ])('of %s is %d tokens', async (model, minimum) => {
    const server = await testServer();
    const prompt = (tokens: number) => ({ model, system: [text(textOfTokens(tokens), MARK)] });
    expect(writes(await usageOf(server, prompt(minimum - 10)))).toBe(0);
    expect(writes(await usageOf(server, prompt(minimum)))).toBeGreaterThan(0);
  });
});

describe('look-back', () => {
  const blocks = (count: number, last?: typeof MARK): Anthropic.TextBlockParam[] =>
    Array.from({ length: count }, (_, index) =>
      text(`Block ${index}`, index === count - 1 ? last : undefined),
    );
  const big = text(textOfTokens(1500));

  it('reaches 19 block positions before the breakpoint and no further', async () => {
    for (const [added, isHit] of [
      [19, true],
      [20, false],
    ] as const) {
      const server = await testServer();
      const first = { system: [], messages: [{ role: 'user' as const, content: [big, ...blocks(5, MARK)] }] };
      await usageOf(server, first);
      const grown = {
        system: [],
        messages: [{ role: 'user' as const, content: [big, ...blocks(5 + added, MARK)] }],
      };
      expect(reads(await usageOf(server, grown)) > 0).toBe(isHit);
    }
  });

  it('takes a run of tool calls and a run of tool results for one position each', async () => {
    const server = await testServer();
    const ids = Array.from({ length: 30 }, (_, index) => `toolu_${index}`);
    const opening: Anthropic.MessageParam = { role: 'user', content: [{ ...big, cache_control: MARK }] };
    const first = await usageOf(server, { system: [], messages: [opening] });
    const second = await usageOf(server, {
      system: [],
      messages: [
        { role: 'user', content: [big] },
        { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'read', input: {} })) },
        {
          role: 'user',
          content: ids.map((id, index) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: 'ok',
            ...(index === ids.length - 1 ? { cache_control: MARK } : {}),
          })),
        },
      ],
    });
    expect(reads(second)).toBe(writes(first));
  });
});

describe('what a change costs', () => {
  const tool = (name: string, mark?: typeof MARK): Anthropic.Tool => ({
    name,
    description: textOfTokens(1200),
    input_schema: { type: 'object', properties: { a: {}, b: {} } },
    ...(mark ? { cache_control: mark } : {}),
  });
  const base = {
    tools: [tool('one'), tool('two', MARK)],
    system: [text(textOfTokens(1500), MARK)],
    messages: [{ role: 'user', content: [text(textOfTokens(1000), MARK)] }],
  } satisfies Partial<Params>;

  async function lostLevels(change: Partial<Params>): Promise<string> {
    const server = await testServer();
    const first = server.requests;
    await usageOf(server, base);
    const all = first[0]?.cache?.inputTokens ?? 0;
    const read = reads(await usageOf(server, { ...base, ...change }));
    if (read === 0) return 'tools, system, messages';
    if (read < 3500) return 'system, messages';
    return read < all - 500 ? 'messages' : 'nothing';
  }

  it.each<[string, Partial<Params>, string]>([
    ['nothing', {}, 'nothing'],
    ['max_tokens', { max_tokens: 7 }, 'nothing'],
    ['a new effort that is the default', { output_config: { effort: 'high' } }, 'nothing'],
    ['tool_choice auto, which is the default', { tool_choice: { type: 'auto' } }, 'nothing'],
    ['tool_choice', { tool_choice: { type: 'any' } }, 'messages'],
    ['parallel tool use', { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }, 'messages'],
    ['thinking', { thinking: { type: 'enabled', budget_tokens: 2000 } }, 'messages'],
    ['effort', { output_config: { effort: 'low' } }, 'messages'],
    [
      'the output format',
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      'system, messages',
    ],
    ['the system text', { system: [text(textOfTokens(1500, 'other'), MARK)] }, 'system, messages'],
    [
      'web search',
      { tools: [...base.tools, { type: 'web_search_20250305', name: 'web_search' }] },
      'system, messages',
    ],
    ['the order of tools', { tools: [tool('two'), tool('one', MARK)] }, 'tools, system, messages'],
    [
      'the order of keys in a schema',
      {
        tools: [
          { ...tool('one'), input_schema: { type: 'object', properties: { b: {}, a: {} } } },
          tool('two', MARK),
        ],
      },
      'tools, system, messages',
    ],
  ])('%s', async (_name, change, lost) => {
    expect(await lostLevels(change)).toBe(lost);
  });

  it('loses system and messages when citations are switched on', async () => {
    const cited: Anthropic.DocumentBlockParam = {
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'Facts' },
      citations: { enabled: true },
    };
    const messages: Anthropic.MessageParam[] = [
      ...base.messages,
      { role: 'user', content: [cited, text('Hi', MARK)] },
    ];
    expect(await lostLevels({ messages })).toBe('system, messages');
  });

  it('loses the messages when the first image appears', async () => {
    const image: Anthropic.ImageBlockParam = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'aaaa' },
    };
    const messages: Anthropic.MessageParam[] = [
      ...base.messages,
      { role: 'assistant', content: 'Show me.' },
      { role: 'user', content: [image, text('Here', MARK)] },
    ];
    expect(await lostLevels({ messages })).toBe('messages');
  });

  it('drops earlier thinking on models that do, once a plain user turn follows', async () => {
    const opening: Anthropic.MessageParam = { role: 'user', content: [text(textOfTokens(5000))] };
    const turn: Anthropic.MessageParam[] = [
      opening,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: textOfTokens(300), signature: 'sig' },
          { type: 'tool_use', id: 'toolu_1', name: 'one', input: {} },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok', cache_control: MARK }],
      },
    ];
    const next: Anthropic.MessageParam[] = [...turn, { role: 'user', content: [text('Next', MARK)] }];
    for (const [model, isKept] of [
      ['claude-opus-4-8', true],
      ['claude-haiku-4-5', false],
    ] as const) {
      const server = await testServer();
      const first = await usageOf(server, { model, system: [], messages: turn });
      const second = await usageOf(server, { model, system: [], messages: next });
      expect(reads(second)).toBe(isKept ? writes(first) : 0);
      expect(total(second) > total(first)).toBe(isKept);
    }
  });
});

describe('rejected requests', () => {
  const marked = (count: number) => Array.from({ length: count }, () => text(textOfTokens(10), MARK));

  it.each<[string, Partial<Params>, RegExp]>([
    ['more than four breakpoints', { system: marked(5) }, /maximum of 4 blocks.*Found 5/],
    ['automatic caching beside four breakpoints', { system: marked(4), cache_control: MARK }, /maximum of 4/],
    [
      'a mark on an empty text block',
      { system: [text('', MARK)] },
      /system\.0\.text: cache_control cannot be set/,
    ],
    ['an empty text block', { messages: [{ role: 'user', content: [text('')] }] }, /must be non-empty/],
    [
      'an hour after five minutes',
      { messages: [{ role: 'user', content: [text('Hi', HOUR_MARK)] }] },
      /'1h' cache_control block must not come after/,
    ],
    [
      'a mark on a thinking block',
      {
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: [{ type: 'thinking', thinking: 'x', signature: 's', cache_control: MARK } as never],
          },
        ],
      },
      /Extra inputs are not permitted/,
    ],
    [
      'automatic caching with another lifetime than the last block',
      { system: [], messages: [{ role: 'user', content: [text('Hi', MARK)] }], cache_control: HOUR_MARK },
      /different ttl/,
    ],
    ['no messages', { messages: [] }, /at least one message/],
  ])('%s', async (_name, change, message) => {
    const server = await testServer();
    const failure = usageOf(server, change);
    await expect(failure).rejects.toMatchObject({ status: 400, type: 'invalid_request_error' });
    await expect(failure).rejects.toThrow(message);
    expect(server.requests[0]?.cache).toBeUndefined();
  });
});
