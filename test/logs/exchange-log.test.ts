import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnose.ts';
import { type LoggedExchange, readExchangeLog } from '../../src/logs/exchange-log.ts';
import { LogError, type SkippedLine } from '../../src/logs/log-error.ts';

const BODY = { model: 'claude-sonnet-5', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] };
const LINE = JSON.stringify({ api: 'anthropic.messages', body: BODY });

async function* chunksOf(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string): Promise<{ entries: LoggedExchange[]; skipped: SkippedLine[] }> {
  const entries: LoggedExchange[] = [];
  const skipped: SkippedLine[] = [];
  const options = { onSkippedLine: (line: SkippedLine) => skipped.push(line) };
  for await (const entry of readExchangeLog(chunksOf(text), 'log.jsonl', options)) entries.push(entry);
  return { entries, skipped };
}

async function failure(text: string): Promise<string> {
  const error = await read(text).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LogError);
  return error instanceof Error ? error.message : '';
}

describe('JSON Lines', () => {
  it('gives each line with its place in the file', async () => {
    const { entries } = await read(`${LINE}\n\n${LINE}\n`);
    expect(entries.map(({ source }) => source)).toEqual(['log.jsonl:1', 'log.jsonl:3']);
  });

  it('does not break a line at U+2028 or a character between two chunks', async () => {
    const body = { ...BODY, messages: [{ role: 'user', content: 'a\u2028b 💍' }] };
    const { entries } = await read(`${JSON.stringify({ api: 'anthropic.messages', body })}\r\n`);
    expect(JSON.parse(String(entries[0]?.exchange.body))).toEqual(body);
  });

  it('skips and counts a bad line and a torn last one', async () => {
    const { entries, skipped } = await read(`{"no":1}\n${LINE}\nnonsense\n${LINE.slice(0, 20)}`);
    expect(entries).toHaveLength(1);
    expect(skipped).toEqual([
      { source: 'log.jsonl:1', reason: 'has no "body"' },
      { source: 'log.jsonl:3', reason: 'is not JSON' },
      { source: 'log.jsonl:4', reason: 'the line is cut short' },
    ]);
  });

  it('goes on after a first line that begins like an object and is none', async () => {
    const { entries, skipped } = await read(`{"api":\n${LINE}\n`);
    expect(entries.map(({ source }) => source)).toEqual(['log.jsonl:2']);
    expect(skipped).toHaveLength(1);
  });

  it('names file, line and what was expected when no line is an exchange', async () => {
    const message = await failure('{"level":"info"}\n{"level":"warn"}\n');
    expect(message).toBe(
      'log.jsonl:1: has no "body"; expected one exchange a line, {"api":…,"body":{…}}, or one object {"api":…,"requests":[…]}',
    );
  });

  it('gives up on a foreign log before reading all of it', async () => {
    let linesRead = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        linesRead += 1;
        yield Buffer.from('{"level":"info"}\n');
      }
    }
    await expect(readExchangeLog(endless(), 'huge.jsonl').next()).rejects.toThrow(LogError);
    expect(linesRead).toBeLessThan(1_000);
  });

  it('says that an empty file is empty', async () => {
    expect(await failure(' \n\n')).toMatch(/^log\.jsonl is empty; expected/);
  });

  it('reads no further than its reader', async () => {
    let linesRead = 0;
    async function* lines(): AsyncGenerator<Uint8Array> {
      for (let line = 0; line < 1_000; line++) {
        linesRead += 1;
        yield Buffer.from(`${LINE}\n`);
      }
    }
    for await (const _ of readExchangeLog(lines(), 'log.jsonl')) break;
    expect(linesRead).toBe(1);
  });
});

describe('the body of a line', () => {
  const text = '{"model":"gpt-5", "user":"u1","messages":[{"role":"user","content":"a \\"b\\" }"}]}';

  it('stays the text that it was, wherever in the line it stands', async () => {
    const { entries } = await read(
      `{"body":${text},"api":"openai.chat","usage":{"prompt_tokens":3}}\n{"api":"openai.chat", "body" : ${text} }\n`,
    );
    expect(entries.map(({ exchange }) => exchange.body)).toEqual([text, text]);
    expect(entries[0]?.exchange.response?.usage).toEqual({ prompt_tokens: 3 });
  });

  it('suggests the scope that it suggests when it is parsed', async () => {
    const { entries } = await read(
      `{"api":"openai.chat","body":${text}}\n${JSON.stringify({ api: 'openai.chat', body: text })}\n`,
    );
    const calls = await diagnose(entries.map(({ exchange }) => exchange));
    const [fromText, fromString] = calls.map(({ scope }) => scope.thread);
    expect(fromText).toMatch(/^user:/);
    expect(fromText).toBe(fromString);
  });

  it('is parsed where the line does not name its API', async () => {
    const { entries } = await read(`${JSON.stringify({ body: BODY })}\n`);
    expect(entries[0]?.exchange).toMatchObject({ api: 'anthropic.messages', body: BODY });
  });

  it('does not hide that a line is damaged around it', async () => {
    const { skipped } = await read(
      `${LINE}\n{"api":"openai.chat","body":{"a":1},"usage":}\n{"api":"openai.chat","body":{"a":1}`,
    );
    expect(skipped.map(({ reason }) => reason)).toEqual(['is not JSON', 'the line is cut short']);
  });

  it('counts once where it stands twice: as JSON reads it, the last one', async () => {
    const { entries } = await read(`{"api":"openai.chat","body":{"a":1},"body":${text}}\n`);
    expect(entries[0]?.exchange.body).toEqual(JSON.parse(text));
  });
});

describe('the object form', () => {
  const document = {
    id: 'CB-00',
    api: 'anthropic.messages',
    requests: [{ body: BODY }, { body: BODY, usage: { input_tokens: 3 } }],
  };

  it('is read on one line', async () => {
    expect((await read(JSON.stringify(document))).entries).toHaveLength(2);
  });

  it('is read pretty-printed, each request with the line on which it begins', async () => {
    const { entries } = await read(JSON.stringify(document, null, 1));
    expect(entries.map(({ source }) => source)).toEqual(['log.jsonl:5', 'log.jsonl:17']);
    expect(entries[1]?.exchange.response).toMatchObject({ ending: 'completed', usage: { input_tokens: 3 } });
  });

  it('is refused where it holds no requests', async () => {
    expect(await failure(JSON.stringify({ kind: 'taxonomy', list: [] }, null, 1))).toMatch(
      /^log\.jsonl: has no "requests"; expected/,
    );
  });

  it('is refused with an unknown api', async () => {
    expect(await failure(JSON.stringify({ ...document, api: 'cohere' }))).toMatch(/"api" is "cohere"/);
  });
});

describe('fields', () => {
  async function exchangeOf(fields: object) {
    const { entries } = await read(JSON.stringify({ body: BODY, ...fields }));
    return entries[0]?.exchange;
  }

  it('maps the response, with usage from the top level', async () => {
    const exchange = await exchangeOf({
      at: '2026-11-30T10:00:00.000Z',
      usage: { input_tokens: 1 },
      response: {
        status: 200,
        id: 'msg_1',
        provider: 'Azure',
        service_tier: 'flex',
        first_byte_at: '2026-11-30T10:00:01.000Z',
        completed_at: '2026-11-30T10:00:02.000Z',
        prompt_cache_diagnostics: { reason: 'tools_changed' },
      },
    });
    expect(exchange?.atMs).toBe(Date.parse('2026-11-30T10:00:00Z'));
    expect(exchange?.response).toMatchObject({
      ending: 'completed',
      status: 200,
      id: 'msg_1',
      provider: 'Azure',
      serviceTier: 'flex',
      usage: { input_tokens: 1 },
      completedAtMs: Date.parse('2026-11-30T10:00:02Z'),
      diagnostics: { reason: 'tools_changed' },
    });
  });

  it('leaves the response unknown where the log has neither response nor usage', async () => {
    expect((await exchangeOf({}))?.response).toBeUndefined();
  });

  it('takes a status of 400 and above as failed', async () => {
    const exchange = await exchangeOf({
      response: { status: 529, error: { error: { type: 'overloaded_error' } } },
    });
    expect(exchange?.response).toMatchObject({ ending: 'failed', error: { type: 'overloaded_error' } });
  });

  it('never lets a credential in, and still tells accounts apart', async () => {
    const [first, second, again] = await Promise.all(
      ['acct-1', 'acct-2', 'acct-1'].map((account) =>
        exchangeOf({
          headers: { Authorization: `Bearer redacted:${account}`, 'Anthropic-Beta': 'a', Cookie: 'secret' },
        }),
      ),
    );
    expect(first?.headers).toEqual({ 'anthropic-beta': 'a' });
    expect(JSON.stringify(first)).not.toMatch(/redacted|secret/);
    expect(first?.account).toBe(again?.account);
    expect(first?.account).not.toBe(second?.account);
  });

  it('does not take a new AWS signature for a new account', async () => {
    const signed = (signature: string) => ({
      headers: [
        [
          'authorization',
          `AWS4-HMAC-SHA256 Credential=AKIA/20261130/us-east-1/bedrock/aws4_request, Signature=${signature}`,
        ],
      ],
    });
    expect((await exchangeOf(signed('a')))?.account).toBe((await exchangeOf(signed('b')))?.account);
  });

  it('keeps a body that was logged as text in its bytes', async () => {
    const text = '{"model": "gpt-5", "messages": [], "2": 1, "1": 1.0}';
    expect((await exchangeOf({ api: 'openai.chat', body: text }))?.body).toBe(text);
  });

  it('never makes up a part of the scope', async () => {
    expect((await exchangeOf({ scope: { thread: 't', phase: null } }))?.scope).toEqual({
      thread: 't',
      phase: undefined,
      delegation: undefined,
    });
  });
});
