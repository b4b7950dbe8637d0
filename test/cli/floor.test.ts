/** `prefixtrace floor`: what every call pays before its first message. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../cli/run.ts';
import type { Api, JsonObject, JsonValue } from '../../src/exchange.ts';
import { capturedContext } from './captured-context.ts';

let workingDirectory: string;
beforeEach(async () => {
  workingDirectory = await mkdtemp(join(tmpdir(), 'prefixtrace-test-'));
});
afterEach(() => rm(workingDirectory, { recursive: true, force: true }));

interface LoggedCall {
  readonly api: Api;
  readonly body: JsonObject;
  readonly model?: string;
  readonly usage?: JsonValue;
  readonly scope?: JsonObject;
}

async function floor(calls: readonly LoggedCall[], ...options: string[]) {
  const lines = calls.map((call, index) =>
    JSON.stringify({ at: `2026-11-30T10:0${index}:00.000Z`, ...call }),
  );
  await writeFile(join(workingDirectory, 'calls.jsonl'), `${lines.join('\n')}\n`);
  const context = capturedContext({ workingDirectory });
  const exitCode = await run(['floor', 'calls.jsonl', ...options], context);
  return { exitCode, out: context.out(), err: context.err() };
}

async function heads(calls: readonly LoggedCall[]) {
  const { exitCode, out, err } = await floor(calls, '--json');
  expect([exitCode, err]).toEqual([0, '']);
  const answer = JSON.parse(out);
  expect(answer.version).toBe(1);
  return answer.heads;
}

const SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  title: 'SearchArguments',
  properties: {
    // Properties may be called like annotations.
    title: { type: 'string', description: 'Words of the title that is looked for.' },
    description: { type: 'string', examples: ['a quiet house by the lake'] },
    limit: { type: 'integer', default: 20, minimum: 1, enum: [1, 20, 50] },
  },
  required: ['title'],
};
const RULES = 'Keep answers short and name your sources. '.repeat(40);
const tool = (name: string, description = 'Searches the directory.') => ({
  name,
  description,
  input_schema: SCHEMA,
});

function anthropicCall(fields: {
  readonly system?: string;
  readonly tools?: readonly ReturnType<typeof tool>[];
  readonly messages?: readonly JsonObject[];
  readonly input?: number;
  readonly phase?: string;
  readonly model?: string;
}): LoggedCall {
  const { system = RULES, tools = [tool('search'), tool('read')], input = 2_000 } = fields;
  return {
    api: 'anthropic.messages',
    body: {
      model: fields.model ?? 'claude-sonnet-4-5',
      max_tokens: 100,
      system: [{ type: 'text', text: system }],
      tools,
      messages: fields.messages ?? [{ role: 'user', content: 'Find a house by the lake.' }],
    },
    usage: {
      input_tokens: input,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      output_tokens: 9,
    },
    scope: { thread: 'wedding-42', ...(fields.phase !== undefined && { phase: fields.phase }) },
  };
}

const ASKED = { role: 'user', content: 'Find a house by the lake.' };
const CALLED = {
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'toolu_1', name: 'search', input: { title: 'house '.repeat(200) } }],
};
const ANSWERED = {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Villa Rosa' }],
};

describe('floor --json', () => {
  it('has parts that add up to the head, and each tool in name, description and schema', async () => {
    const [head] = await heads([anthropicCall({})]);
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const labels = head.parts.map(({ label }: { label: string }) => label);
    expect(labels.sort()).toEqual(['read', 'search', 'system block 0']);
    const tokens = head.parts.map((part: { tokens: number }) => part.tokens);
    expect(Math.abs(sum(tokens) - head.tokens.floor)).toBeLessThanOrEqual(3);
    expect(head.tokens).toMatchObject({ input: 2_000, method: 'usage' });
    expect(head.tokens.floor).toBeLessThan(2_000);
    for (const part of head.parts.filter(({ component }: { component: string }) => component === 'tools'))
      expect(Math.abs(part.name + part.description + part.schema - part.tokens)).toBeLessThanOrEqual(2);
  });

  it('prices a call at the read, the write and the uncached price', async () => {
    const [head] = await heads([anthropicCall({})]);
    const { read, written, uncached } = head.usd;
    // claude-sonnet-4-5: 3 USD a million, reads at a tenth, writes at five quarters.
    expect(uncached).toBeCloseTo((head.tokens.floor * 3) / 1e6, 4);
    expect(read / uncached).toBeCloseTo(0.1, 5);
    expect(written / uncached).toBeCloseTo(1.25, 5);
    expect(head.price.model).toBe('claude-sonnet-4-5');
  });

  it('knows no price rather than a wrong one', async () => {
    const [head] = await heads([anthropicCall({ model: 'house-model-7' })]);
    expect(head.price).toBeNull();
    expect(head.usd).toEqual({ read: null, written: null, uncached: null });
  });

  it('counts the keys of schemas that no validator needs, and no property that is called like one', async () => {
    const [head] = await heads([anthropicCall({ tools: [tool('search')] })]);
    const counts = Object.fromEntries(
      head.savings.schemaKeys.map(({ key, count }: { key: string; count: number }) => [key, count]),
    );
    expect(counts).toEqual({ $schema: 1, title: 1, examples: 1, default: 1 });
    expect(head.savings.schemaDescriptions.count).toBe(1);
    expect(head.savings.schemaDescriptions.tokens).toBeGreaterThan(0);
  });

  it('names long descriptions and what is beyond their limit', async () => {
    const long = tool('search', 'Searches the directory of houses, with patience. '.repeat(60));
    const [head] = await heads([anthropicCall({ tools: [long, tool('read')], input: 2_500 })]);
    const { list, limitTokens, tokens } = head.savings.longDescriptions;
    expect(list).toMatchObject([{ label: 'search', at: 'description' }]);
    expect(tokens).toBeCloseTo(list[0].tokens - limitTokens, -1);
  });

  it('names tools that no message calls', async () => {
    const [head] = await heads([
      anthropicCall({ messages: [ASKED] }),
      anthropicCall({ messages: [ASKED, CALLED, ANSWERED] }),
    ]);
    expect(head.neverCalled).toEqual(['read']);
    expect(head.savings.neverCalled.tokens).toBeGreaterThan(0);
  });

  it('does not say which tools were never called where the history lies with the provider', async () => {
    const parameters = SCHEMA;
    const tools = [{ type: 'function', name: 'search', description: 'Searches.', parameters }];
    const body = { model: 'gpt-5', instructions: RULES, tools };
    const [head] = await heads([
      { api: 'openai.responses', body: { ...body, input: 'Find a house.', previous_response_id: 'resp_0' } },
    ]);
    expect(head.neverCalled).toBeNull();
    expect(head.savings.neverCalled).toBeNull();
  });

  it('counts the arguments of earlier tool calls, which stand beside content', async () => {
    const call = (messages: readonly JsonObject[]): LoggedCall => ({
      api: 'openai.chat',
      body: {
        model: 'gpt-5',
        tools: [
          { type: 'function', function: { name: 'search', description: 'Searches.', parameters: SCHEMA } },
        ],
        messages: [{ role: 'system', content: RULES }, ...messages],
      },
    });
    const id = 'call_1';
    const argumentText = JSON.stringify({ title: 'house '.repeat(400) });
    const [head] = await heads([
      call([ASKED]),
      call([
        ASKED,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id, type: 'function', function: { name: 'search', arguments: argumentText } }],
        },
        { role: 'tool', tool_call_id: id, content: 'Villa Rosa' },
      ]),
    ]);
    const { last, perCall } = head.messages;
    expect(last.toolCalls).toBeGreaterThan(10 * (last.text + last.toolResults));
    expect(perCall.toolCalls).toBeCloseTo(last.toolCalls / 2, -1);
    expect(head.neverCalled).toEqual([]);
  });

  it('shows a head that changes on its way once, as it was last, with the number of changes', async () => {
    const said = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: `message ${index} of the wedding plan, by the lake`,
      }));
    const list = await heads(
      ['10:00', '10:01', '10:02'].map((clock, index) =>
        anthropicCall({ system: `It is ${clock}. ${RULES}`, messages: said(index * 2 + 1) }),
      ),
    );
    expect(list).toHaveLength(1);
    expect(list[0]).toMatchObject({ calls: 3, lineages: 1, changes: 2, forms: 3 });
    expect(list[0].last.source).toBe('calls.jsonl:3');
  });

  it('keeps phases apart, and agents whose instructions have nothing in common', async () => {
    const planner = anthropicCall({ phase: 'planner', system: 'Plan the wedding in steps. '.repeat(60) });
    const writer = anthropicCall({ phase: 'writer', system: 'Write invitations in verse. '.repeat(60) });
    expect(await heads([planner, writer])).toHaveLength(2);
    const unnamed = [planner, writer].map(({ scope: _, ...call }) => call);
    expect(await heads(unnamed)).toHaveLength(2);
  });
});

const BODIES: Readonly<Record<Api, Omit<LoggedCall, 'api'>>> = {
  'anthropic.messages': { body: anthropicCall({ tools: [tool('search')] }).body },
  'openai.chat': {
    body: {
      model: 'gpt-5',
      messages: [{ role: 'system', content: RULES }, ASKED],
      tools: [
        { type: 'function', function: { name: 'search', description: 'Searches.', parameters: SCHEMA } },
      ],
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA } },
    },
  },
  'openai.responses': {
    body: {
      model: 'gpt-5',
      instructions: RULES,
      input: 'Find a house.',
      tools: [{ type: 'function', name: 'search', description: 'Searches.', parameters: SCHEMA }],
      text: { format: { type: 'json_schema', name: 'answer', schema: SCHEMA } },
    },
  },
  'google.generateContent': {
    model: 'gemini-2.5-flash',
    body: {
      systemInstruction: { parts: [{ text: RULES }] },
      contents: [{ role: 'user', parts: [{ text: 'Find a house.' }] }],
      tools: [{ functionDeclarations: [{ name: 'search', description: 'Searches.', parameters: SCHEMA }] }],
      generationConfig: { responseSchema: SCHEMA },
    },
  },
  'bedrock.converse': {
    model: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
    body: {
      system: [{ text: RULES }, { cachePoint: { type: 'default' } }],
      messages: [{ role: 'user', content: [{ text: 'Find a house.' }] }],
      toolConfig: {
        tools: [{ toolSpec: { name: 'search', description: 'Searches.', inputSchema: { json: SCHEMA } } }],
      },
    },
  },
};

describe('every API', () => {
  it.each(Object.entries(BODIES))('%s: tools, system and response schema are read', async (api, call) => {
    const [head] = await heads([{ ...call, api: api as Api }]);
    const components = head.parts.map(({ component }: { component: string }) => component).sort();
    const hasSchema = !['anthropic.messages', 'bedrock.converse'].includes(api);
    expect(components).toEqual([...(hasSchema ? ['parameters'] : []), 'system', 'tools']);
    expect(head.tokens.method).toBe('estimated');
    const search = head.parts.find(({ label }: { label: string }) => label === 'search');
    expect(search).toMatchObject({ component: 'tools', neverCalled: true });
    expect(search.schema).toBeGreaterThan(search.description);
    expect(search.description).toBeGreaterThan(0);
    const title = head.savings.schemaKeys.find(({ key }: { key: string }) => key === 'title');
    expect(title.count).toBe(hasSchema ? 2 : 1);
  });
});

describe('floor for a person', () => {
  it('shows the biggest part first, marks every estimate and warns of trimming', async () => {
    const { exitCode, out } = await floor([
      anthropicCall({ messages: [ASKED] }),
      anthropicCall({ messages: [ASKED, CALLED, ANSWERED] }),
    ]);
    expect(exitCode).toBe(0);
    expect(out).toMatch(
      /On every call {3}~[\d,]+ tokens before the first message, \d+ % of the last call's input/,
    );
    expect(out).toMatch(/100 calls {7}~\$[\d.]+ read back · ~\$[\d.]+ written · ~\$[\d.]+ uncached/);
    expect(out).toMatch(/Part +tokens +share +description +schema +100× read +100× written/);
    expect(out).toMatch(/1 tool never called here.*\n +read\n/);
    expect(out).toMatch(/tool\s+calls\s+with\s+their\s+arguments ~\d+/);
    expect(out.replace(/\s+/g, ' ')).toContain('no schema check will fail');
    expect(out.replace(/\s+/g, ' ')).toContain('A recording may be short');
    expect(out).toMatch(/Part .*\n {2}system block 0 .*\n {2}(search|read) /);
  });

  it('says plainly that nothing stands before the first message', async () => {
    const body = { model: 'gpt-5', messages: [ASKED] };
    const { out } = await floor([{ api: 'openai.chat', body }]);
    expect(out).toBe('Nothing stands before the first message of 1 call.\n');
  });

  it('lets no control sequence of a tool name reach the terminal', async () => {
    const { out } = await floor([anthropicCall({ tools: [tool('search\u001b[2J\u202e')] })]);
    expect(out).toContain('search');
    expect(out).not.toMatch(/[\u001b\u202e]/);
  });

  it('reads a schema that is nested two thousand deep', async () => {
    let schema: JsonObject = { type: 'string' };
    for (let depth = 0; depth < 2_000; depth += 1) schema = { type: 'object', properties: { inner: schema } };
    const { exitCode, out } = await floor([
      anthropicCall({ tools: [{ ...tool('deep'), input_schema: schema as never }] }),
    ]);
    expect(exitCode).toBe(0);
    expect(out).toContain('deep');
  });

  it('refuses a file that is not there in one line', async () => {
    const context = capturedContext({ workingDirectory });
    expect(await run(['floor', 'nope.jsonl'], context)).toBe(2);
    expect(context.err()).toBe('prefixtrace: cannot read nope.jsonl: no such file\n');
  });
});
