/**
 * What leaves the process holds no content and no credential: a live agent on real clients with a secret in each place
 * that a request has, and a search through each output that there is.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { DiagLogLevel, diag, trace } from '@opentelemetry/api';
import { render } from 'ink-testing-library';
import OpenAI from 'openai';
import { createElement } from 'react';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runReport } from '../../cli/commands/report.ts';
import { readAll } from '../../cli/sources/call-source.ts';
import { localStoreSource } from '../../cli/sources/local-store.ts';
import type { ReportedCall } from '../../cli/summary/reported-call.ts';
import { createTheme } from '../../cli/ui/theme.ts';
import { Viewer } from '../../cli/ui/viewer.tsx';
import { createEngine } from '../../src/diagnose.ts';
import { type ModelServer, startModelServer } from '../../src/model-server/index.ts';
import { observeClient } from '../../src/observe/observe-client.ts';
import { observeFetchWith } from '../../src/observe/observe-fetch.ts';
import { createRecorder, type Recorder } from '../../src/observe/recorder.ts';
import { createPrefixId } from '../../src/telemetry/prefix-id.ts';
import { createTelemetrySink, type TelemetrySinkOptions } from '../../src/telemetry/sink.ts';
import { capturedContext } from '../cli/captured-context.ts';
import { type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts';
import { SOURCE } from '../support/viewer-state.ts';
import { RecordedMetrics } from './recorded-metrics.ts';
import {
  type RecordedSpans,
  registerContextManager,
  registerTracing,
  unregisterTracing,
} from './recorded-spans.ts';

/** All secrets begin so; the rest says where one was planted, and that it was a different one each turn. */
const MARK = 'zq7secret';
const secret = (place: string, turn: number): string => `${MARK}-${place}-${turn}`;

let models: ModelServer;
let scripted: ScriptedServer;
let directory: string;
let logged: string;

beforeAll(async () => {
  scripted = await startScriptedServer();
});
afterAll(() => scripted.close());
beforeEach(async () => {
  models = await startModelServer({ reply: () => ({ text: `An answer with ${secret('answer', 0)}.` }) });
  directory = await mkdtemp(join(tmpdir(), 'prefixtrace-privacy-'));
  logged = '';
  const log = (...details: unknown[]): void => {
    logged += details.map((each) => (each instanceof Error ? each.stack : JSON.stringify(each))).join(' ');
  };
  diag.setLogger(
    { error: log, warn: log, info: log, debug: log, verbose: log },
    { logLevel: DiagLogLevel.ALL, suppressOverrideMessage: true },
  );
});
afterEach(async () => {
  diag.disable();
  unregisterTracing();
  await models.close();
  await rm(directory, { recursive: true, force: true });
});

/** Long enough to be cached, the same each turn. */
const INSTRUCTIONS = 'You plan weddings with great care and never forget a guest. '.repeat(150);
const TURNS = [1, 2, 3, 4];

/** In each turn other parts of the prompt change, so that the divergences lie in all of them. */
async function runAgent(recorder: Recorder): Promise<void> {
  const key = secret('api-key', 0);
  const headers = { 'x-internal': secret('header', 0), cookie: secret('cookie', 0) };
  const anthropic = observeClient(
    new Anthropic({ apiKey: key, baseURL: models.url, defaultHeaders: headers }),
    {},
    () => recorder,
  );
  const openai = observeClient(
    new OpenAI({ apiKey: key, baseURL: `${models.url}/v1`, defaultHeaders: headers, maxRetries: 0 }),
    {},
    () => recorder,
  );
  const google = observeClient(
    new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: models.url, headers } }),
    {},
    () => recorder,
  );
  for (const turn of TURNS) {
    const at = (place: string, since: number) => secret(place, turn >= since ? turn : 0);
    const system = `${INSTRUCTIONS} Now: ${at('system', 4)}`;
    const description = `Looks up a guest. ${at('tool-description', 3)}`;
    const question = `Who is ${at('message', 2)}?`;
    await anthropic.messages.create({
      model: 'claude-opus-5',
      max_tokens: 16,
      metadata: { user_id: secret('user-id', 0) },
      system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
      tools: [{ name: 'lookup', description, input_schema: { type: 'object', properties: {} } }],
      messages: [
        { role: 'user', content: question },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'lookup', input: { name: at('argument', 2) } }],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: at('result', 2) }],
        },
      ],
    });
    const messages = [
      { role: 'system' as const, content: system },
      { role: 'user' as const, content: question },
    ];
    const stream = await openai.chat.completions.create({
      model: 'gpt-5.5',
      user: secret('user', 0),
      messages,
      tools: [
        { type: 'function', function: { name: 'lookup', description, parameters: { type: 'object' } } },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const _ of stream);
    await openai.responses.create({ model: 'gpt-5.5', instructions: system, input: question });
    await google.models.generateContent({
      model: 'gemini-3-pro',
      contents: question,
      config: { systemInstruction: system },
    });
  }
  await sendFaults(recorder, openai, key);
  await recorder.flush();
}

/** Where things go wrong content likes to end up in messages. */
async function sendFaults(recorder: Recorder, openai: OpenAI, key: string): Promise<void> {
  const message = `Invalid: "${secret('error-message', 0)}"`;
  models.failNext({ kind: 'status', status: 400, message });
  const messages = [{ role: 'user' as const, content: secret('message', 0) }];
  await openai.chat.completions.create({ model: 'gpt-5.5', messages }).catch(() => undefined);

  const fetch = observeFetchWith(globalThis.fetch, () => recorder);
  const post = async (url: string, body: string): Promise<void> => {
    const response = await fetch(url, { method: 'POST', body, headers: { authorization: `Bearer ${key}` } });
    await response.text();
  };
  const query = `?key=${secret('query', 0)}`;
  const google = '/v1beta/models/gemini-3-pro:generateContent';
  const contents = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: secret('message', 1) }] }] });
  await post(`${models.url}${google}${query}`, contents);
  await post(`http://127.0.0.1:1${google}${query}`, contents).catch(() => undefined);
  await post(`${models.url}/v1/messages${query}`, `{"model": "x", "messages": ${secret('broken-body', 0)}`);
  const chat = JSON.stringify({ model: 'gpt-5.5', messages });
  for (const contentType of ['application/json', 'text/event-stream']) {
    const chunks = [`data: {"id": ${secret('broken-answer', 0)}\n\n`, secret('broken-answer', 1)];
    scripted.script([{ headers: { 'content-type': contentType }, chunks }]);
    await post(`${scripted.url}/v1/chat/completions${query}`, chat);
  }
}

async function newRecorder(options: TelemetrySinkOptions): Promise<Recorder> {
  const recorder = createRecorder({ engine: createEngine(), sink: createTelemetrySink(options) });
  await recorder.flush();
  return recorder;
}

/** All that an exporter is given of the spans. */
function exportedText(spans: RecordedSpans): string {
  return JSON.stringify(
    spans
      .all()
      .map(({ name, attributes, events, links, status, resource, instrumentationScope }) => [
        name,
        attributes,
        events,
        links.map((link) => link.attributes ?? {}),
        status,
        resource.attributes,
        instrumentationScope,
      ]),
  );
}

/** With the surroundings of what was found, so that a failure says where. */
function secretsIn(text: string): string[] {
  return [...text.matchAll(new RegExp(`.{0,60}${MARK}[\\w-]*`, 'g'))].map(([found]) => found);
}

describe('without content capture', () => {
  it('spans, metrics and logs hold nothing of what was sent or answered', async () => {
    registerContextManager();
    const spans = registerTracing();
    const metrics = new RecordedMetrics();
    const told: unknown[] = [];
    const onDivergence = (finding: unknown) => void told.push(finding);
    await runAgent(await newRecorder({ metrics: metrics.provider, onDivergence }));
    const text = exportedText(spans);
    const counted = JSON.stringify(await metrics.all());
    await metrics.shutdown();

    const divergences = spans.all().filter(({ name }) => name === 'prompt_cache.divergence');
    const components = divergences.map(({ attributes }) => attributes['prompt_cache.divergence.component']);
    expect(new Set(components)).toEqual(new Set(['messages', 'tools', 'system']));
    expect(text).toContain('prompt_cache.unreadable');
    expect(counted).toContain('prompt_cache.unreadable_calls');
    expect(told.length).toBeGreaterThan(3);
    expect(secretsIn(text)).toEqual([]);
    expect(secretsIn(counted)).toEqual([]);
    expect(secretsIn(JSON.stringify(told))).toEqual([]);
    expect(secretsIn(logged)).toEqual([]);
  });

  it('the local store, the reports on it and the viewer hold nothing of it either', async () => {
    const recorder = await newRecorder({ store: { directory } });
    await runAgent(recorder);
    await recorder.shutdown();

    const names = await readdir(directory, { recursive: true });
    const contents = await Promise.all(
      names.map((name) => readFile(join(directory, name), 'utf8').catch(() => '')), // folders
    );
    expect(contents.join('')).toContain('prompt_cache.divergence');
    expect(secretsIn(names.join('\n') + contents.join('\n'))).toEqual([]);

    for (const format of ['text', 'markdown', 'json'] as const) {
      const context = capturedContext();
      await runReport(directory, format, context);
      expect(context.out()).toContain('tools.description_volatile');
      expect(secretsIn(context.out() + context.err()), format).toEqual([]);
    }

    const frames = await framesOf(await readAll(localStoreSource(directory, directory)));
    expect(frames).toContain('against call');
    expect(secretsIn(frames)).toEqual([]);
    expect(secretsIn(logged)).toEqual([]);
  });
});

/** Each screen, and each call on the screen of calls. */
async function framesOf(calls: readonly ReportedCall[]): Promise<string> {
  const app = render(
    createElement(Viewer, {
      describeSource: () => SOURCE,
      performRequest: async () => '',
      subscribe: ({ onCalls }) => {
        onCalls(calls);
        return () => undefined;
      },
      theme: createTheme(false),
      size: { columns: 120, rows: 40 },
    }),
  );
  await delay(20);
  for (const key of ['\r', ...calls.map(() => 'n'), '\x1b', 'l', '\r', 't', 'c', 'n', 'c', 'F', '?']) {
    app.stdin.write(key);
    await delay(20);
  }
  app.unmount();
  return app.frames.join('\n');
}

describe('with content capture', () => {
  const excerptsOf = (spans: RecordedSpans): string[] =>
    spans
      .all()
      .flatMap(({ attributes }) =>
        ['prompt_cache.divergence.before', 'prompt_cache.divergence.after'].flatMap((name) =>
          name in attributes ? [String(attributes[name])] : [],
        ),
      );

  it('only short excerpts on divergences hold content, and no credential', async () => {
    registerContextManager();
    const spans = registerTracing();
    await runAgent(await newRecorder({ captureContent: true }));
    const excerpts = excerptsOf(spans);
    expect(secretsIn(excerpts.join('\n')).length).toBeGreaterThan(5);
    expect(Math.max(...excerpts.map((text) => text.length))).toBeLessThanOrEqual(200);
    for (const place of [
      'api-key',
      'header',
      'cookie',
      'query',
      'user',
      'user-id',
      'error-message',
      'answer',
    ]) {
      expect(excerpts.join('\n'), place).not.toContain(`${MARK}-${place}-`);
    }
    for (const span of spans.all()) {
      const others = Object.entries(span.attributes).filter(
        ([name]) => !/divergence\.(before|after)$/.test(name),
      );
      expect(secretsIn(JSON.stringify(others))).toEqual([]);
    }
    expect(secretsIn(logged)).toEqual([]);
  });

  it('what the hook takes out is in none of them', async () => {
    registerContextManager();
    const spans = registerTracing();
    const redact = (text: string) => text.replace(/\S*(zq7|q7s|secret|7sec)\S*/g, '[secret]');
    await runAgent(await newRecorder({ captureContent: true, redact }));
    expect(excerptsOf(spans).join('\n')).toContain('[secret]');
    expect(secretsIn(exportedText(spans))).toEqual([]);
  });

  it('a hook that fails with the text in its message does not bring it into the log', async () => {
    registerContextManager();
    const spans = registerTracing();
    const redact = (text: string) => {
      throw new Error(`cannot redact ${text}`);
    };
    await runAgent(await newRecorder({ captureContent: true, redact }));
    expect(excerptsOf(spans)).toEqual([]);
    expect(secretsIn(exportedText(spans))).toEqual([]);
    expect(secretsIn(logged)).toEqual([]);
  });
});

describe('the id of a prefix', () => {
  it('cannot be found again by guessing a short prompt without the key', async () => {
    const PIN = '4711';
    const idOf = async (text: string, options: TelemetrySinkOptions): Promise<unknown> => {
      const spans = registerTracing();
      const recorder = await newRecorder({ tracerProvider: spans.provider, ...options });
      const fetch = observeFetchWith(globalThis.fetch, () => recorder);
      const body = JSON.stringify({ model: 'gpt-5.5', messages: [{ role: 'user', content: text }] });
      await (await fetch(`${models.url}/v1/chat/completions`, { method: 'POST', body })).text();
      await recorder.flush();
      trace.disable();
      return spans.all().find(({ name }) => name.startsWith('chat'))?.attributes['prompt_cache.prefix.id'];
    };
    const exported = await idOf(PIN, {});
    expect(exported).toMatch(/^[0-9a-f]{32}$/);
    // Whoever has the package can compute the hash of any guess, the right one included, but not under this key.
    expect(await idOf(PIN, {})).not.toBe(exported);
    expect(await idOf(PIN, { prefixKey: '' })).not.toBe(exported);
    expect(await idOf(PIN, { prefixKey: randomBytes(32) })).not.toBe(exported);
    // With the key it can be: that the ids above differ is the key's doing.
    const key = 'shared by two processes';
    expect(await idOf(PIN, { prefixKey: key })).toBe(await idOf(PIN, { prefixKey: key }));
    expect(await idOf('4712', { prefixKey: key })).not.toBe(await idOf(PIN, { prefixKey: key }));
    expect(createPrefixId(key)('a')).not.toBe(createPrefixId()('a'));
  });
});
