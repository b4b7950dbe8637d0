import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { generateText } from 'ai';
import OpenAI from 'openai';
import OpenAIVersion4 from 'openai-v4';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/diagnose.ts';
import { type ModelServer, startModelServer } from '../../src/model-server/index.ts';
import { observeClient } from '../../src/observe/observe-client.ts';
import { observeFetchWith } from '../../src/observe/observe-fetch.ts';
import { createRecorder, type Recorder } from '../../src/observe/recorder.ts';
import { callSiteIn } from '../../src/telemetry/call-site.ts';
import { createTelemetrySink, type TelemetrySinkOptions } from '../../src/telemetry/sink.ts';
import { type RecordedSpans, registerTracing, unregisterTracing } from './recorded-spans.ts';

let server: ModelServer;
let spans: RecordedSpans;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());
beforeEach(() => {
  spans = registerTracing();
});
afterEach(unregisterTracing);

async function recorderWith(options: TelemetrySinkOptions): Promise<Recorder> {
  const recorder = createRecorder({ engine: createEngine(), sink: createTelemetrySink(options) });
  await recorder.flush();
  return recorder;
}

const CHAT = { model: 'gpt-5.5', messages: [{ role: 'user' as const, content: 'hi' }] };

async function siteOfOnlyCall(recorder: Recorder): Promise<(string | number | undefined)[]> {
  await recorder.flush();
  const [attributes] = spans
    .all()
    .flatMap((span) => ('prompt_cache.turn' in span.attributes ? [span.attributes] : []));
  return ['code.function.name', 'code.file.path', 'code.line.number'].map(
    (name) => attributes?.[name] as string | number | undefined,
  );
}

/** The line that asks, as the stack of the test itself has it. */
function lineHere(): number {
  const [, , caller = ''] = new Error().stack?.split('\n') ?? [];
  return Number(/:(\d+):\d+\)?$/.exec(caller)?.[1]);
}

describe('the line that made a call', () => {
  it.each([
    ['openai', OpenAI],
    ['openai 4', OpenAIVersion4 as unknown as typeof OpenAI],
  ])('is on the span of the call: %s', async (_, OpenAIClass) => {
    const recorder = await recorderWith({ callSite: true });
    const client = observeClient(
      new OpenAIClass({ apiKey: 'k', baseURL: `${server.url}/v1` }),
      {},
      () => recorder,
    );
    let line = 0;
    async function planWedding() {
      line = lineHere() + 1;
      await client.chat.completions.create(CHAT);
    }
    await planWedding();
    const [functionName, filePath, lineNumber] = await siteOfOnlyCall(recorder);
    expect(functionName).toBe('planWedding');
    expect(filePath).toMatch(/\/test\/telemetry\/call-site\.test\.ts$/);
    expect(lineNumber).toBe(line);
  });

  it('is found behind the many frames of the AI SDK', async () => {
    const recorder = await recorderWith({ callSite: true });
    const fetch = observeFetchWith(globalThis.fetch, () => recorder);
    const model = createAnthropic({ apiKey: 'k', baseURL: `${server.url}/v1`, fetch })('claude-opus-5');
    async function planWedding() {
      await generateText({ model, prompt: 'hi' });
    }
    await planWedding();
    const [functionName, filePath] = await siteOfOnlyCall(recorder);
    expect(functionName).toBe('planWedding');
    expect(filePath).toMatch(/call-site\.test\.ts$/);
  });

  it('is that of a bare fetch as well', async () => {
    const recorder = await recorderWith({ callSite: true });
    const fetch = observeFetchWith(globalThis.fetch, () => recorder);
    async function planWedding() {
      const response = await fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify(CHAT),
      });
      await response.text();
    }
    await planWedding();
    expect((await siteOfOnlyCall(recorder))[0]).toBe('planWedding');
  });

  it("is absent where the client leaves no trace of it: Anthropic's SDK", async () => {
    const recorder = await recorderWith({ callSite: true });
    const client = observeClient(new Anthropic({ apiKey: 'k', baseURL: server.url }), {}, () => recorder);
    await client.messages.create({ ...CHAT, model: 'claude-opus-5', max_tokens: 8 });
    expect(await siteOfOnlyCall(recorder)).toEqual([undefined, undefined, undefined]);
    expect(spans.all()).not.toEqual([]);
  });

  it('is asked for by option or by PREFIXTRACE_CALL_SITE=1, and else not taken', async () => {
    const taken = async (options: TelemetrySinkOptions): Promise<boolean> => {
      spans.exporter.reset();
      const recorder = await recorderWith(options);
      const client = observeClient(
        new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1` }),
        {},
        () => recorder,
      );
      await client.chat.completions.create(CHAT);
      return (await siteOfOnlyCall(recorder))[2] !== undefined;
    };
    expect(await taken({})).toBe(false);
    process.env.PREFIXTRACE_CALL_SITE = '1';
    try {
      expect(await taken({})).toBe(true);
      expect(await taken({ callSite: false })).toBe(false);
    } finally {
      delete process.env.PREFIXTRACE_CALL_SITE;
    }
  });

  it('leaves the limit of stacks as it was', async () => {
    const limit = Error.stackTraceLimit;
    const recorder = await recorderWith({ callSite: true });
    const fetch = observeFetchWith(globalThis.fetch, () => recorder);
    await (
      await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(CHAT) })
    ).text();
    expect(Error.stackTraceLimit).toBe(limit);
  });
});

describe('in a stack', () => {
  it('the first frame of the application counts', () => {
    const stack = [
      'Error',
      '    at open (file:///srv/app/node_modules/prefixtrace/dist/index.js:10:5)',
      '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
      '    at new Promise (<anonymous>)',
      '    at async OpenAI.makeRequest (file:///srv/app/node_modules/openai/client.mjs:874:34)',
      '    at async Planner.plan (file:///srv/app/src/planner.ts:42:7)',
      '    at async file:///srv/app/src/main.ts:7:1',
    ].join('\n');
    expect(callSiteIn(stack)).toEqual({
      'code.function.name': 'Planner.plan',
      'code.file.path': '/srv/app/src/planner.ts',
      'code.line.number': 42,
    });
  });

  it.each([
    ['    at /srv/app/main.cjs:7:1', '/srv/app/main.cjs', 7],
    ['    at async file:///srv/app/main.js:70:12', '/srv/app/main.js', 70],
    ['    at Object.<anonymous> (C:\\app\\main.js:3:9)', 'C:\\app\\main.js', 3],
    ['    at async Promise.all (index 0)\n    at f (/srv/a b/main.js:1:2)', '/srv/a b/main.js', 1],
  ])('%j is read', (stack, filePath, line) => {
    expect(callSiteIn(stack)).toMatchObject({ 'code.file.path': filePath, 'code.line.number': line });
  });

  it('frames of this package are passed over, wherever it lies', () => {
    const stack =
      '    at open (/srv/tools/prefixtrace/dist/index.js:1:1)\n    at plan (/srv/app/plan.js:2:3)';
    expect(callSiteIn(stack, '/srv/tools/prefixtrace/dist/')).toMatchObject({
      'code.file.path': '/srv/app/plan.js',
    });
  });
});
