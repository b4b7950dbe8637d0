/** Every format, from small files made up for it. What the readers do on real recordings is in `traffic.test.ts`. */
import { createReadStream } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Exchange, JsonObject } from '../../src/exchange.ts';
import { LogError, type SkippedLine } from '../../src/logs/log-error.ts';
import { openLog, readLogPath } from '../../src/logs/open-log.ts';
import { readUsage } from '../../src/prompt/usage.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');

interface ReadLog {
  readonly format: string;
  readonly exchanges: readonly Exchange[];
  readonly sources: readonly string[];
  readonly skipped: readonly SkippedLine[];
}

async function readBytes(bytes: Uint8Array | string, file = 'log'): Promise<ReadLog> {
  const skipped: SkippedLine[] = [];
  const options = { onSkippedLine: (line: SkippedLine) => skipped.push(line) };
  const { format, exchanges: generator } = await openLog(chunksOf(Buffer.from(bytes)), file, options);
  const exchanges: Exchange[] = [];
  const sources: string[] = [];
  for await (const { exchange, source } of generator) {
    exchanges.push(exchange);
    sources.push(source);
  }
  return { format, exchanges, sources, skipped };
}

/** The name says nothing, so that only the content can tell the format. */
async function read(fixture: string): Promise<ReadLog> {
  return readBytes(await readFile(join(FIXTURES, fixture)));
}

async function* chunksOf(bytes: Uint8Array, size = 97): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function refusal(reading: Promise<unknown>): Promise<string> {
  const error: unknown = await reading.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(LogError);
  const message = error instanceof Error ? error.message : '';
  expect(message).not.toContain('\n');
  return message;
}

function bodyOf({ body }: Exchange): JsonObject {
  return typeof body === 'string' ? (JSON.parse(body) as JsonObject) : body;
}

function reads(exchanges: readonly Exchange[]): (number | null | undefined)[] {
  return exchanges.map(({ api, response }) => readUsage(api, response?.usage)?.cacheRead);
}

describe('claude-trace', () => {
  it('reads pairs with their streamed responses, and leaves token counting out', async () => {
    const { format, exchanges, sources } = await read('claude-trace.jsonl');
    expect(format).toBe('claude-trace');
    expect(sources).toEqual(['log:1', 'log:2', 'log:4']);
    expect(reads(exchanges)).toEqual([0, 1500, undefined]);
    expect(exchanges[0]).toMatchObject({
      api: 'anthropic.messages',
      atMs: 1_790_000_000_250,
      endpoint: 'api.anthropic.com',
      headers: { 'anthropic-beta': 'one-2026' },
      response: {
        ending: 'completed',
        status: 200,
        id: 'msg_1',
        usage: { output_tokens: 7 },
        completedAtMs: 1_790_000_002_250,
      },
    });
    expect(JSON.stringify(exchanges)).not.toContain('redacted');
  });

  it('knows nothing of a response that was never recorded', async () => {
    expect((await read('claude-trace.jsonl')).exchanges[2]?.response).toBeUndefined();
  });
});

describe('claude-code-cache-fix', () => {
  it.each(['cache-fix-capture.jsonl', 'cache-fix-document.json'])(
    'joins outcomes to requests by start and model in %s',
    async (file) => {
      const { exchanges, skipped } = await read(file);
      expect(exchanges.map(({ response }) => response?.id)).toEqual(['o-1', 'o-2', 'o-3']);
      expect(reads(exchanges)).toEqual([0, 0, 1500]);
      expect(exchanges[0]?.suggestedScope).toEqual({ thread: 's-1' });
      expect(skipped.map(({ reason }) => reason)).toEqual(['counts tokens and calls no model']);
    },
  );

  it('reads excerpts that keep the messages alone, with the line of each', async () => {
    const { exchanges, sources } = await read('cache-fix-excerpt.json');
    expect(exchanges.map((exchange) => Object.keys(bodyOf(exchange)))).toEqual([['messages'], ['messages']]);
    expect(sources.map((source) => Number(source.split(':')[1])).every((line) => line > 1)).toBe(true);
  });

  it('refuses the sizes of tools and system', async () => {
    expect(await refusal(read('cache-fix-sizes.json'))).toMatch(/holds sizes .* no requests to diagnose$/);
  });
});

describe('cassettes', () => {
  it('reads vcrpy: text and binary bodies, compressed responses, other traffic left out', async () => {
    const { format, exchanges, sources, skipped } = await read('vcrpy.yaml');
    expect(format).toBe('vcrpy cassette');
    expect(exchanges.map(({ api }) => api)).toEqual(['openai.chat', 'openai.chat']);
    expect(reads(exchanges)).toEqual([0, 1024]);
    expect(bodyOf(exchanges[1] as Exchange).messages).toHaveLength(4);
    expect(exchanges.map(({ atMs }) => atMs)).toEqual([
      Date.parse('2026-09-21T10:00:00Z'),
      Date.parse('2026-09-21T10:00:05Z'),
    ]);
    expect(sources.map((source) => Number(source.split(':')[1]))).toEqual([16, 41]);
    expect(skipped).toEqual([]);
  });

  it('reads parsed bodies, shared parts and texts that look like numbers', async () => {
    const { exchanges } = await read('vcrpy-parsed.yaml');
    expect(exchanges[0]).toMatchObject({ api: 'anthropic.messages', response: { id: 'msg_1', status: 200 } });
    const schema = { properties: { id: { const: '12e34' } }, type: 'object' };
    expect(bodyOf(exchanges[0] as Exchange).tools).toEqual([
      { input_schema: schema, name: 'look_up' },
      { input_schema: schema, name: 'look_down' },
    ]);
  });

  it('reads go-vcr with a streamed response', async () => {
    const { format, exchanges } = await read('go-vcr.yaml');
    expect(format).toBe('go-vcr cassette');
    expect(exchanges[0]?.response).toMatchObject({
      ending: 'completed',
      status: 200,
      usage: { cache_creation_input_tokens: 1500, output_tokens: 7 },
    });
  });
});

describe('HAR', () => {
  it('reads compressed requests, event streams and AWS frames, in order of time', async () => {
    const { format, exchanges } = await read('recording.har');
    expect(format).toBe('HAR 1.2');
    expect(exchanges.map(({ api }) => api)).toEqual([
      'openai.chat',
      'openai.chat',
      'bedrock.converse',
      'anthropic.messages',
    ]);
    expect(reads(exchanges)).toEqual([0, 1024, 1200, 900]);
    expect(exchanges[2]?.model).toBe('us.anthropic.claude-sonnet-4-5-20250929-v1:0');
    expect(exchanges.map(({ response }) => response?.ending)).toEqual(Array(4).fill('completed'));
    const startMs = Date.parse('2026-09-21T10:00:00Z');
    expect(exchanges[0]?.response).toMatchObject({
      firstByteAtMs: startMs + 301,
      completedAtMs: startMs + 800,
    });
  });

  it('refuses a recording of other traffic, with the number of its exchanges', async () => {
    const har = JSON.parse(await readFile(join(FIXTURES, 'recording.har'), 'utf8')) as {
      log: { entries: JsonObject[] };
    };
    har.log.entries = har.log.entries.slice(4);
    expect(await refusal(readBytes(JSON.stringify(har)))).toBe(
      'log (HAR 1.2) holds no call to a model API (HTTP exchanges in it: 1)',
    );
  });
});

describe('inspect_ai', () => {
  it('resolves attachments, skips its own cache and orders samples by time', async () => {
    const { exchanges, skipped, sources } = await read('inspect.json');
    expect(reads(exchanges)).toEqual([0, 0, 1024]);
    expect(bodyOf(exchanges[0] as Exchange).messages).toMatchObject([
      { content: 'You answer briefly, as the attachment says.' },
      { content: 'Question 1?' },
    ]);
    expect(bodyOf(exchanges[0] as Exchange)).not.toHaveProperty('extra_headers');
    expect(exchanges[0]?.suggestedScope).toEqual({ thread: 'sample 1 epoch 1' });
    expect(skipped.map(({ reason }) => reason)).toEqual(['was answered from inspect_ai’s own cache']);
    expect(new Set(sources).size).toBe(3);
  });

  it('builds the request from the event where the raw call was not logged', async () => {
    const { exchanges } = await read('inspect.json');
    expect(exchanges[1]).toMatchObject({
      api: 'openai.chat',
      body: {
        model: 'gpt-4.1',
        messages: [
          {},
          { tool_calls: [{ id: 'c1', function: { name: 'look_up', arguments: '{"x":1}' } }] },
          { role: 'tool' },
        ],
        tools: [{ type: 'function', function: { name: 'look_up' } }],
      },
    });
  });
});

describe('agent logs', () => {
  it('reads an OpenHands folder in the order of time, not of names', async () => {
    const exchanges: Exchange[] = [];
    const files: string[] = [];
    for await (const { exchange, source } of readLogPath(join(FIXTURES, 'openhands'))) {
      exchanges.push(exchange);
      files.push(basename(source).split(':')[0] ?? '');
    }
    expect(files).toEqual(['model-b.json', 'model-a.json']);
    expect(exchanges[0]).toMatchObject({
      api: 'openai.chat',
      atMs: 1_789_999_998_000,
      body: { model: 'claude-sonnet-4-20250514', temperature: 0, tools: [{}] },
      response: { completedAtMs: 1_790_000_000_500 },
    });
    expect(bodyOf(exchanges[0] as Exchange)).not.toHaveProperty('metadata');
  });

  it('reads SWE-agent steps without its own notes on messages', async () => {
    const { exchanges } = await read('swe-agent.traj');
    expect(exchanges.map((exchange) => (bodyOf(exchange).messages as unknown[]).length)).toEqual([2, 4, 6]);
    expect(bodyOf(exchanges[1] as Exchange)).toMatchObject({
      model: 'gpt-4o',
      messages: [
        {},
        {},
        { role: 'assistant', tool_calls: [{ id: 'c1' }] },
        { role: 'tool', tool_call_id: 'c1' },
      ],
    });
    expect(JSON.stringify(exchanges)).not.toMatch(/message_type|thought|agent"/);
  });

  it('reads LiteLLM payloads, bare and wrapped, and the body that the proxy received', async () => {
    const { exchanges, skipped } = await read('litellm.jsonl');
    expect(exchanges.map(({ api }) => api)).toEqual(['openai.chat', 'openai.chat', 'anthropic.messages']);
    expect(reads(exchanges)).toEqual([0, 1024, 0]);
    expect(exchanges[0]).toMatchObject({
      atMs: 1_790_000_001_500,
      endpoint: 'api.openai.com',
      body: { model: 'gpt-4.1', tools: [{}] },
      response: { firstByteAtMs: 1_790_000_002_000 },
    });
    expect(skipped.map(({ reason }) => reason)).toEqual([
      'was answered from LiteLLM’s own cache',
      'its messages were redacted or not kept',
    ]);
  });
});

describe('traces', () => {
  it('reads Langfuse generations: JSON in texts, parts, LangChain’s messages', async () => {
    const { exchanges, skipped } = await read('langfuse.json');
    expect(exchanges.map((exchange) => (bodyOf(exchange).messages as unknown[]).length)).toEqual([
      2, 4, 2, 2,
    ]);
    const usages = exchanges.map(({ api, response }) => readUsage(api, response?.usage));
    // The cached part is listed beside the input there.
    expect(usages[1]).toMatchObject({ input: 1104, cacheRead: 1024 });
    expect(usages[0]).toMatchObject({ input: 1101, cacheRead: null });
    expect(bodyOf(exchanges[3] as Exchange).messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
    ]);
    expect(skipped).toHaveLength(1);
  });

  it('reads OTLP spans of calls, with content on the span or on its event', async () => {
    const { exchanges, skipped } = await read('otlp.jsonl');
    expect(exchanges.map(({ api }) => api)).toEqual([
      'anthropic.messages',
      'anthropic.messages',
      'openai.chat',
    ]);
    expect(reads(exchanges)).toEqual([0, 1520, null]);
    expect(bodyOf(exchanges[0] as Exchange)).toEqual({
      model: 'claude-sonnet-5',
      tools: [{ name: 'look_up', description: 'Looks up.', input_schema: { type: 'object' } }],
      system: [{ type: 'text', text: 'You answer briefly.' }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Question 1?' }] }],
    });
    expect(bodyOf(exchanges[2] as Exchange).messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', reasoning_content: 'Hm.', tool_calls: [{ id: 'c1' }] },
      { role: 'tool', tool_call_id: 'c1', content: '1' },
    ]);
    expect(skipped.map(({ reason }) => reason)).toEqual([expect.stringContaining('no content to compare')]);
  });

  it('refuses spans without content', async () => {
    expect(await refusal(read('otlp-bare.json'))).toMatch(/none of 2 model calls .* no content to compare/);
  });

  it('refuses an SDK dump that holds the prompt of the first call alone', async () => {
    expect(await refusal(read('sdk-spans.json'))).toMatch(
      /only one of 3 model calls .* no content to compare/,
    );
  });

  it('reads an SDK dump that holds every prompt', async () => {
    expect((await read('sdk-spans-whole.json')).exchanges).toHaveLength(2);
  });
});

describe('what is recognised and cannot be read', () => {
  it.each([
    ['claude-code.jsonl', 'Claude Code'],
    ['codex.jsonl', 'Codex'],
    ['gemini-cli.json', 'Gemini CLI'],
    ['pi.jsonl', 'pi'],
  ])('says what %s is', async (file, agent) => {
    expect(await refusal(read(file))).toBe(
      `log is a ${agent} session transcript: it holds no request bodies, only usage, which \`prefixtrace diagnose\` reads`,
    );
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ['nothing', ' \n\n', /^log:1: is empty; expected /],
    ['prose', 'Dear diary,\n', /neither JSON nor a recorded cassette/],
    ['other YAML', 'name: build\non: push\n', /neither JSON nor a recorded cassette/],
    ['other JSON', '{"level":"info"}\n{"level":"warn"}\n', /of no format .*it holds "level"/],
    ['an archive', Buffer.from('PK\x03\x04rest', 'latin1'), /zip archive; an inspect_ai \.eval file/],
    ['a torn gzip', gzipSync('{"body":{}}\n'.repeat(50)).subarray(0, 30), /damaged: it is not a whole gzip/],
    ['a torn document', '{\n "log": {\n', /cut short or damaged/],
    ['damaged YAML', 'interactions:\n- request: {\n', /damaged YAML/],
  ])('refuses %s in one line', async (_, content, line) => {
    expect(await refusal(readBytes(content))).toMatch(line);
  });
});

describe('files and folders', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'prefixtrace-logs-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('reads what was compressed with gzip', async () => {
    const { format, exchanges } = await readBytes(
      gzipSync(await readFile(join(FIXTURES, 'claude-trace.jsonl'))),
    );
    expect(format).toBe('claude-trace');
    expect(exchanges).toHaveLength(3);
  });

  it('reads an exchange log in both of its forms', async () => {
    const line = JSON.stringify({ body: { model: 'gpt-4.1', messages: [] } });
    expect((await readBytes(`nonsense\n${line}\n`.replace('nonsense', '{"torn":'))).exchanges).toHaveLength(
      1,
    );
    const { format, exchanges } = await readBytes(`{"requests":[${line}]}`);
    expect(format).toBe('exchange log');
    expect(exchanges).toHaveLength(1);
  });

  it('reads a folder by name and tells what in it does not fit', async () => {
    await cp(join(FIXTURES, 'claude-trace.jsonl'), join(folder, 'b.txt'));
    await cp(join(FIXTURES, 'go-vcr.yaml'), join(folder, 'a.bin'));
    await writeFile(join(folder, 'notes.md'), 'Dear diary,\n');
    await writeFile(join(folder, '.hidden'), 'x');
    const skipped: SkippedLine[] = [];
    const sources: string[] = [];
    const options = { onSkippedLine: (line: SkippedLine) => skipped.push(line) };
    for await (const { source } of readLogPath(folder, options)) sources.push(basename(source));
    expect(sources).toEqual(['a.bin:4', 'b.txt:1', 'b.txt:2', 'b.txt:4']);
    expect(skipped).toEqual([
      { source: join(folder, 'notes.md'), reason: 'is neither JSON nor a recorded cassette' },
    ]);
  });

  it('refuses a folder in which nothing fits, and an empty one', async () => {
    expect(await refusal(readLogPath(folder).next())).toMatch(/is an empty folder$/);
    await writeFile(join(folder, 'notes.md'), 'Dear diary,\n');
    expect(await refusal(readLogPath(folder).next())).toMatch(/^nothing in .* can be read: .*notes\.md/);
  });

  it('holds one line at a time and closes the file when its reader stops', async () => {
    const line = (await readFile(join(FIXTURES, 'claude-trace.jsonl'), 'utf8')).split('\n')[0];
    let linesRead = 0;
    let isClosed = false;
    async function* lines(): AsyncGenerator<string> {
      try {
        for (; linesRead < 1_000; linesRead++) yield `${line}\n`;
      } finally {
        isClosed = true;
      }
    }
    const { exchanges } = await openLog(lines(), 'log');
    for await (const _ of exchanges) break;
    expect(linesRead).toBeLessThan(5);
    expect(isClosed).toBe(true);
  });

  it('closes a file that it refuses', async () => {
    const path = join(folder, 'notes.md');
    await writeFile(path, 'Dear diary,\n');
    const stream = createReadStream(path);
    await refusal(openLog(stream, 'notes.md'));
    expect(stream.destroyed).toBe(true);
  });
});
