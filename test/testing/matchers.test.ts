import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it, vi } from 'vitest';
import { expectRebuild, withScope } from '../../src/observe/scope.ts';
import { assertKeepsPrefix, callsFrom, matchers, recordCalls } from '../../src/testing/index.ts';
import { anthropicMessage } from '../support/model-replies.ts';

expect.extend(matchers);

const answer = async (): Promise<Response> => Response.json(anthropicMessage([]));
const RULES = 'Keep answers short. '.repeat(20);

type Message = { role: 'user' | 'assistant'; content: string };

function history(turns: number): Message[] {
  return Array.from({ length: turns * 2 - 1 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `message ${index}`,
  }));
}

function body(turns: number, fields: Record<string, unknown> = {}) {
  return { model: 'claude-sonnet-5', max_tokens: 8, system: RULES, messages: history(turns), ...fields };
}

function failureOf(check: () => unknown): string {
  try {
    check();
  } catch (error) {
    return (error as Error).message.replace(/\x1b\[\d+m/g, '');
  }
  throw new Error('expected a failure');
}

describe('toKeepPrefix', () => {
  it('passes where each body is the one before plus growth', () => {
    expect([body(1), body(2), body(3)]).toKeepPrefix();
  });

  it('shows what changed, where, before and after, and what to do', () => {
    const at = (clock: string) => `It is 2026-11-30 ${clock}. ${RULES}`;
    const steps = [body(1, { system: at('10:00') }), body(2, { system: at('10:31') })];
    const message = failureOf(() => expect(steps).toKeepPrefix());
    expect(message).toContain('call 2 is not call 1 plus growth\n  kind:    system.timestamp\n');
    expect(message).toMatch(/at: {6}system, byte 20 \(system prompt\)/);
    expect(message).toMatch(/before: {2}It is 2026-11-30 10:00\. Keep/);
    expect(message).toMatch(/after: {3}It is 2026-11-30 10:31\. Keep/);
    expect(message).toMatch(/advice: {2}\S/);
    expect(message).toContain('0 of 1 steps kept the prefix.');
  });

  it.each([
    ['tools in another order', { tools: ['a', 'b'] }, { tools: ['b', 'a'] }, 'tools.reordered'],
    ['a tool added in front', { tools: ['b'] }, { tools: ['a', 'b'] }, 'tools.added'],
    ['a tool where there was none', {}, { tools: ['a'] }, 'tools.added'],
    ['another model', {}, { model: 'claude-opus-5' }, 'model.switched'],
  ])('fails for %s', (_what, before, after, kind) => {
    const withTools = ({ tools, ...rest }: { tools?: string[]; model?: string }) => ({
      ...rest,
      ...(tools && { tools: tools.map((name) => ({ name, input_schema: { type: 'object' } })) }),
    });
    const steps = [body(1, withTools(before)), body(2, withTools(after))];
    expect(failureOf(() => expect(steps).toKeepPrefix())).toContain(kind);
  });

  it('fails for an edited history, a dropped message and another conversation', () => {
    const edited = body(3);
    (edited.messages[1] as Message).content = 'other';
    expect(failureOf(() => expect([body(2), edited]).toKeepPrefix())).toContain('messages[1]');
    expect([body(3), body(2)]).not.toKeepPrefix();
    expect([body(2), { ...body(2), messages: [{ role: 'user', content: 'Weather?' }] }]).not.toKeepPrefix();
  });

  it('takes as equal what the provider takes as equal', () => {
    const blocks = body(2, { system: [{ type: 'text', text: RULES }] });
    expect([body(1), blocks, JSON.stringify(body(3))]).toKeepPrefix();
  });

  const marked = (turns: number, at: number) => {
    const messages = history(turns).map(({ role, content }, index) => ({
      role,
      content: [
        { type: 'text', text: content, ...(index === at && { cache_control: { type: 'ephemeral' } }) },
      ],
    }));
    return body(turns, { messages });
  };

  it('lets a cache mark move forward, and neither back nor away', () => {
    expect([marked(1, 0), marked(2, 2), marked(3, 4)]).toKeepPrefix();
    expect(failureOf(() => expect([marked(2, 2), marked(3, 0)]).toKeepPrefix())).toContain(
      'breakpoints.moved',
    );
    expect(failureOf(() => expect([marked(2, 2), marked(3, 99)]).toKeepPrefix())).toContain(
      'breakpoints.missing',
    );
  });

  it('says of `not` that nothing changed', () => {
    const message = failureOf(() => expect([body(1), body(2)]).not.toKeepPrefix());
    expect(message).toBe('all 1 steps are the request before plus growth');
  });

  it('takes out what would move a cursor, and spells white space', () => {
    const steps = [body(1, { system: 'Be\x1b[2J brief\nnow' }), body(2, { system: 'Be\x1b[2J brief now' })];
    const message = failureOf(() => expect(steps).toKeepPrefix());
    expect(message).toContain('before:  Be[2J brief\\nnow');
    expect(message).not.toContain('\x1b[2J');
  });

  it('colours the excerpts as the runner does, and only then', () => {
    const steps = [body(1, { system: 'one' }), body(2, { system: 'two' })];
    const color = (open: string, close: string) => (text: string) => `${open}${text}${close}`;
    const utils = { EXPECTED_COLOR: color('<', '>'), RECEIVED_COLOR: color('[', ']') };
    const message = matchers.toKeepPrefix.call({ utils }, steps).message();
    expect(message).toMatch(/before: {2}<one>\n {2}after: {3}\[two\]/);
    expect(failureOf(() => assertKeepsPrefix(steps))).toMatch(/before: {2}one\n {2}after: {3}two/);
  });
});

describe('a test that could not fail', () => {
  it.each([
    ['no call', [], /no call was recorded/],
    ['one call', [body(1)], /no call continues another among 1/],
    ['a promise', Promise.resolve([]), /await it/],
    ['something else', 'calls', /expected a list/],
    ['a body of no known API', [{ prompt: 'x' }, { prompt: 'y' }], /call 1: cannot tell which API/],
  ])('throws for %s, with `not` too', (_what, received, message) => {
    expect(failureOf(() => expect(received).toKeepPrefix())).toMatch(message);
    expect(failureOf(() => expect(received).not.toKeepPrefix())).toMatch(message);
  });

  it('is refused where a fake kept references to one list that went on growing', async () => {
    const fake = vi.fn(async (_request: { messages: Message[] }) => undefined);
    const messages: Message[] = [{ role: 'user', content: 'hi' }];
    await fake(body(1, { messages }) as { messages: Message[] });
    messages.push({ role: 'user', content: 'again' });
    await fake(body(1, { messages }) as { messages: Message[] });
    const bodies = fake.mock.calls.map(([request]) => request);
    expect(failureOf(() => expect(bodies).toKeepPrefix())).toMatch(/calls 1 and 2 hold the very same list/);
    await expect(callsFrom(bodies)).rejects.toThrow(/structuredClone/);
  });

  it('is refused for bodies that were not diagnosed', () => {
    expect(failureOf(() => expect([body(1)]).toHaveNoCacheFindings())).toMatch(/await callsFrom/);
  });
});

describe('recordCalls', () => {
  const ask = (client: Anthropic, turns: number, system = RULES) =>
    client.messages.create({ model: 'claude-sonnet-5', max_tokens: 8, system, messages: history(turns) });

  it('records a real client over a fake fetch', async () => {
    const recorder = recordCalls();
    const client = new Anthropic({ apiKey: 'none', fetch: recorder.fetch(answer) });
    await ask(client, 1);
    await ask(client, 2);
    const calls = await recorder.calls();
    expect(calls.map(({ continues }) => continues)).toEqual([null, 0]);
    expect(JSON.stringify(calls)).not.toContain('none');
    expect(calls).toKeepPrefix();
  });

  it('records an observed client, and finds what it changed', async () => {
    const recorder = recordCalls();
    const client = recorder.observe(new Anthropic({ apiKey: 'none', fetch: answer }));
    expect(client).toBeInstanceOf(Anthropic);
    await ask(client, 1, `It is 10:00:00. ${RULES}`);
    await ask(client, 2, `It is 10:31:07. ${RULES}`);
    const calls = await recorder.calls();
    expect(failureOf(() => expect(calls).toKeepPrefix())).toContain('system.timestamp');
  });

  it('keeps conversations apart, and recorders too', async () => {
    const [recorder, other] = [recordCalls(), recordCalls()];
    const client = new Anthropic({ apiKey: 'none', fetch: recorder.fetch(answer) });
    for (const turns of [1, 2])
      for (const phase of ['planner', 'writer'])
        await withScope({ phase }, () => ask(client, turns, `You are the ${phase}. ${RULES}`));
    const calls = await recorder.calls();
    expect(calls.map(({ continues }) => continues)).toEqual([null, null, 0, 1]);
    expect(calls).toKeepPrefix();
    // In the order in which they went out they are no conversation, and can be held to that too.
    expect(calls.map(({ exchange }) => exchange)).not.toKeepPrefix();
    expect(await other.calls()).toEqual([]);
  });

  it('excuses a rebuild that was announced', async () => {
    const recorder = recordCalls();
    const client = new Anthropic({ apiKey: 'none', fetch: recorder.fetch(answer) });
    await withScope({ thread: 't' }, async () => {
      await ask(client, 1, `One. ${RULES}`);
      expectRebuild('new instructions');
      await ask(client, 2, `Two. ${RULES}`);
    });
    expect(await recorder.calls()).toKeepPrefix();
  });
});

describe('toHaveNoCacheFindings', () => {
  const usage = (read: number, written: number) => ({
    input_tokens: 0,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: 1,
  });
  const call = (turns: number, system: string, read: number, written: number) => ({
    api: 'anthropic.messages' as const,
    body: body(turns, { system, cache_control: { type: 'ephemeral' } }),
    usage: usage(read, written),
  });

  it('passes where the cache held', async () => {
    expect(await callsFrom([call(1, RULES, 0, 2_000), call(2, RULES, 2_000, 20)])).toHaveNoCacheFindings();
  });

  it('shows each finding with what it cost', async () => {
    const calls = await callsFrom([
      call(1, `It is 10:00:00. ${RULES}`, 0, 2_000),
      call(2, `It is 10:31:07. ${RULES}`, 0, 2_020),
    ]);
    const message = failureOf(() => expect(calls).toHaveNoCacheFindings());
    expect(message).toContain('call 2 has a cache finding\n  kind:    system.timestamp');
    expect(message).toContain('cost:    2000 tokens billed again');
    expect(message).toContain('1 of 2 calls have a finding.');
    expect(message).toMatch(/before: {2}It is 10:00:00/);
  });
});
