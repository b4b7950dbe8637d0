/**
 * Beside instrumentations that make a GenAI span of their own, each as its documentation sets it up for ES modules, on real
 * clients: one such span a call, with our attributes on it, and its usage told once.
 */
import { createOpenAI as createOpenAIOfAi7 } from '@ai-sdk/openai';
import Anthropic, * as anthropicModule from '@anthropic-ai/sdk';
import { AnthropicInstrumentation as OpenInferenceAnthropic } from '@arizeai/openinference-instrumentation-anthropic';
import { OpenAIInstrumentation as OpenInferenceOpenAI } from '@arizeai/openinference-instrumentation-openai';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { AnthropicInstrumentation as OpenLLMetryAnthropic } from '@traceloop/instrumentation-anthropic';
import { OpenAIInstrumentation as OpenLLMetryOpenAI } from '@traceloop/instrumentation-openai';
import { generateText, streamText } from 'ai';
import { createOpenAI as createOpenAIOfAi5 } from 'ai-sdk-openai-v2';
import { createOpenAI as createOpenAIOfAi6 } from 'ai-sdk-openai-v3';
import { generateText as generateTextOfAi5, streamText as streamTextOfAi5 } from 'ai-v5';
import { generateText as generateTextOfAi6, streamText as streamTextOfAi6 } from 'ai-v6';
import * as anthropicVersion0Module from 'anthropic-v0';
import * as openaiModule from 'openai';
import OpenAIVersion6 from 'openai-v6';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/diagnose.ts';
import { observeClient } from '../../src/observe/observe-client.ts';
import { observeFetchWith } from '../../src/observe/observe-fetch.ts';
import { createRecorder, type Recorder } from '../../src/observe/recorder.ts';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';
import { type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts';
import { SDK_TARGETS, type SdkTarget } from '../support/sdk-targets.ts';
import {
  type RecordedSpans,
  registerContextManager,
  registerTracing,
  unregisterTracing,
} from './recorded-spans.ts';

let server: ScriptedServer;
let spans: RecordedSpans;
let recorder: Recorder;

beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  registerContextManager();
  spans = registerTracing();
  recorder = createRecorder({ engine: createEngine(), sink: createTelemetrySink() });
  await recorder.flush();
});
afterEach(unregisterTracing);

type Way = 'create' | 'stream';
const WAYS: readonly Way[] = ['create', 'stream'];

function targetNamed(name: string): SdkTarget {
  const target = SDK_TARGETS.find((each) => each.name === name);
  if (target === undefined) throw new Error(`there is no target ${name}`);
  return target;
}

async function call(
  target: SdkTarget,
  way: Way,
  client: object = target.newClient(server.url),
): Promise<void> {
  server.script([way === 'create' ? target.jsonReply : target.streamReply()]);
  const observed = observeClient(client, {}, () => recorder);
  if (way === 'create') await target.create(observed, 'hi');
  else for await (const _ of await target.stream(observed, 'hi'));
  await settled();
}

/** Some end their span in a consumer of their own, a few turns after the caller has all. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  await recorder.flush();
}

function isGenAi({ attributes }: ReadableSpan): boolean {
  return ['gen_ai.operation.name', 'gen_ai.system', 'openinference.span.kind'].some(
    (name) => name in attributes,
  );
}

/** The one span of the call, theirs, with what we add and without usage of ours. */
function expectOneEnrichedSpan(scopeName: string): ReadableSpan {
  const genAi = spans.all().filter(isGenAi);
  expect(genAi.map((span) => span.instrumentationScope.name)).toEqual([scopeName]);
  const [span] = genAi as [ReadableSpan];
  expect(span.attributes).toMatchObject({ 'prompt_cache.outcome': 'hit', 'prompt_cache.tokens.input': 2112 });
  expectNoUsageOfOurs();
  return span;
}

function expectNoUsageOfOurs(): void {
  const ours = spans.all().filter((span) => span.instrumentationScope.name === 'prefixtrace');
  const named = ours
    .flatMap((span) => Object.keys(span.attributes))
    .filter((name) => /^(gen_ai|llm)\./.test(name));
  expect(named).toEqual([]);
}

describe("Anthropic's SDK with its own spans", () => {
  it.each(WAYS)('gets ours on its span: %s', async (way) => {
    await call(targetNamed('@anthropic-ai/sdk messages'), way);
    const { attributes } = expectOneEnrichedSpan('com.anthropic.sdk.typescript');
    expect(attributes['gen_ai.usage.input_tokens']).toBe(2112);
  });
});

describe('OpenInference', () => {
  const openai = new OpenInferenceOpenAI();
  const anthropic = new OpenInferenceAnthropic();
  beforeAll(() => {
    openai.manuallyInstrument(openaiModule as never);
    anthropic.manuallyInstrument(anthropicModule as never);
  });
  afterAll(() => {
    openai.disable();
    anthropic.disable();
  });
  beforeEach(() => {
    openai.setTracerProvider(spans.provider);
    anthropic.setTracerProvider(spans.provider);
  });

  it.each(
    ['openai 7 chat completions', 'openai 7 responses'].flatMap((name) =>
      WAYS.map((way) => [name, way] as const),
    ),
  )('gets ours on its span: %s, %s', async (name, way) => {
    await call(targetNamed(name), way);
    expectOneEnrichedSpan('@arizeai/openinference-instrumentation-openai');
  });

  it.each(WAYS)("gets ours on its span where the spans of Anthropic's SDK are off: %s", async (way) => {
    const client = new Anthropic({ apiKey: 'test-key', baseURL: server.url, openTelemetry: false });
    await call(targetNamed('@anthropic-ai/sdk messages'), way, client);
    expectOneEnrichedSpan('@arizeai/openinference-instrumentation-anthropic');
  });

  it("adds a second span to that of Anthropic's SDK, which is the nearer one and gets ours", async () => {
    await call(targetNamed('@anthropic-ai/sdk messages'), 'create');
    const enriched = spans.all().filter((span) => 'prompt_cache.outcome' in span.attributes);
    expect(enriched.map((span) => span.instrumentationScope.name)).toEqual(['com.anthropic.sdk.typescript']);
    expect(spans.all().filter(isGenAi)).toHaveLength(2);
    expectNoUsageOfOurs();
  });
});

describe('OpenLLMetry', () => {
  const openai = new OpenLLMetryOpenAI({ traceContent: false });
  const anthropic = new OpenLLMetryAnthropic({ traceContent: false });
  beforeAll(() => {
    openai.manuallyInstrument(OpenAIVersion6 as never);
    anthropic.manuallyInstrument(anthropicVersion0Module as never);
  });
  beforeEach(() => {
    openai.setTracerProvider(spans.provider);
    anthropic.setTracerProvider(spans.provider);
  });

  it.each([
    ['openai 6 chat completions', 'create', 'openai'],
    ['openai 6 chat completions', 'stream', 'openai'],
    ['openai 6 responses', 'create', 'openai'],
    ['@anthropic-ai/sdk 0.50 messages', 'create', 'anthropic'],
    ['@anthropic-ai/sdk 0.50 messages', 'stream', 'anthropic'],
  ] as const)('gets ours on its span: %s, %s', async (name, way, vendor) => {
    await call(targetNamed(name), way);
    expectOneEnrichedSpan(`@traceloop/instrumentation-${vendor}`);
  });

  it('ends its span of a Responses stream before the stream: ours hangs beneath, without usage', async () => {
    await call(targetNamed('openai 6 responses'), 'stream');
    const genAi = spans.all().filter(isGenAi);
    expect(genAi.map((span) => span.instrumentationScope.name)).toEqual([
      '@traceloop/instrumentation-openai',
    ]);
    const beneath = spans.named('prompt_cache.call');
    expect(beneath.parentSpanContext?.spanId).toBe(genAi[0]?.spanContext().spanId);
    expect(beneath.attributes['prompt_cache.outcome']).toBe('hit');
    expectNoUsageOfOurs();
  });
});

describe('the telemetry of the AI SDK', () => {
  const chat = targetNamed('openai 7 chat completions');
  // Their types differ, in options that are not used here.
  interface Version {
    readonly version: number;
    readonly createOpenAI: typeof createOpenAIOfAi7 | typeof createOpenAIOfAi6 | typeof createOpenAIOfAi5;
    generate(options: never): PromiseLike<unknown>;
    stream(options: never): { readonly textStream: AsyncIterable<string> };
  }
  const versions: readonly Version[] = [
    { version: 5, createOpenAI: createOpenAIOfAi5, generate: generateTextOfAi5, stream: streamTextOfAi5 },
    { version: 6, createOpenAI: createOpenAIOfAi6, generate: generateTextOfAi6, stream: streamTextOfAi6 },
    { version: 7, createOpenAI: createOpenAIOfAi7, generate: generateText, stream: streamText },
  ];

  async function callWithTelemetry({ createOpenAI, generate, stream }: Version, way: Way) {
    server.script([way === 'create' ? chat.jsonReply : chat.streamReply()]);
    const fetch = observeFetchWith(globalThis.fetch, () => recorder);
    const provider = createOpenAI({ apiKey: 'test-key', baseURL: `${server.url}/v1`, fetch });
    const options = {
      model: provider.chat('gpt-5.5'),
      prompt: 'hi',
      experimental_telemetry: { isEnabled: true },
    };
    if (way === 'create') await generate(options as never);
    else for await (const _ of stream(options as never).textStream);
    await settled();
  }

  it.each(
    versions.slice(0, 2).flatMap((version) => WAYS.map((way) => [version.version, way, version] as const)),
  )(
    'gets ours on the span of the call, not on that of the whole: version %i, %s',
    async (_, way, version) => {
      await callWithTelemetry(version, way);
      const span = expectOneEnrichedSpan('ai');
      expect(span.name).toBe(way === 'create' ? 'ai.generateText.doGenerate' : 'ai.streamText.doStream');
    },
  );

  it('of version 7 makes no span without its package for OpenTelemetry: then there is one of ours', async () => {
    await callWithTelemetry(versions[2] as Version, 'create');
    expect(spans.all().map((span) => span.instrumentationScope.name)).toEqual(['prefixtrace']);
  });
});
