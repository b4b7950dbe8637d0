/** Calls that no hook sees, diagnosed from the spans that other instrumentations make of them. */
import Anthropic, * as anthropicModule from '@anthropic-ai/sdk';
import { AnthropicInstrumentation as OpenInferenceAnthropic } from '@arizeai/openinference-instrumentation-anthropic';
import { OpenAIInstrumentation as OpenInferenceOpenAI } from '@arizeai/openinference-instrumentation-openai';
import {
  type Attributes,
  context,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { OpenAIInstrumentation as OpenLLMetryOpenAI } from '@traceloop/instrumentation-openai';
import OpenAI, * as openaiModule from 'openai';
import OpenAIVersion6 from 'openai-v6';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { diagnoseSpans, flush, observe } from '../../src/index.ts';
import { type ModelServer, startModelServer } from '../../src/model-server/index.ts';
import { installSink } from '../../src/runtime.ts';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';

let server: ModelServer;
let memory: InMemorySpanExporter;
let provider: BasicTracerProvider;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());
beforeEach(() => {
  memory = new InMemorySpanExporter();
  provider = new BasicTracerProvider({ spanProcessors: [diagnoseSpans(), new SimpleSpanProcessor(memory)] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
});
afterEach(() => {
  trace.disable();
  context.disable();
});

const LONG = 'Be brief and kind. '.repeat(1500);
const TIMES = ['10:00', '10:01'];

/** The figures of what was found, when all is diagnosed. */
async function found() {
  await provider.forceFlush();
  const spans = memory.getFinishedSpans();
  const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;
  const calls = spans.filter(({ name }) => name === 'prompt_cache.call');
  const divergences = spans.filter(({ name }) => name === 'prompt_cache.divergence');
  const theirs = spans.filter((span) => span.instrumentationScope.name !== 'prefixtrace');
  return { spans, calls, divergences, theirs, idOf };
}

/** Two calls of theirs, the second with another clock in its system prompt; below each a call of ours. */
async function expectClockFound(component = 'system') {
  const { calls, divergences, theirs, idOf } = await found();
  expect(theirs).toHaveLength(2);
  expect(calls.map((span) => span.parentSpanContext?.spanId)).toEqual(theirs.map(idOf));
  expect(divergences).toHaveLength(1);
  const [divergence] = divergences as [ReadableSpan];
  expect(divergence.attributes).toMatchObject({
    'prompt_cache.divergence.component': component,
    'prompt_cache.divergence.kind': `${component}.timestamp`,
  });
  expect(divergence.parentSpanContext?.spanId).toBe(idOf(calls[1]));
  expect(divergence.links.map(({ context: linked }: { context: SpanContext }) => linked.spanId)).toEqual([
    idOf(calls[0]),
  ]);
  return { calls, divergence };
}

describe('diagnoseSpans with real instrumentations', () => {
  const openInference = new OpenInferenceAnthropic();
  const openInferenceOpenAI = new OpenInferenceOpenAI();
  const openLLMetry = new OpenLLMetryOpenAI({ traceContent: true });
  beforeAll(() => {
    openInference.manuallyInstrument(anthropicModule as never); // types of another release of the client
    openInferenceOpenAI.manuallyInstrument(openaiModule as never);
    openLLMetry.manuallyInstrument(OpenAIVersion6 as never);
  });
  afterAll(() => {
    openInference.disable();
    openInferenceOpenAI.disable();
    openLLMetry.disable();
  });
  beforeEach(() => {
    for (const each of [openInference, openInferenceOpenAI, openLLMetry]) each.setTracerProvider(provider);
  });

  const newAnthropic = () => new Anthropic({ apiKey: 'k', baseURL: server.url, openTelemetry: false });
  const askAnthropic = async (client: Anthropic) => {
    for (const time of TIMES) {
      await client.messages.create({
        ...{ model: 'claude-opus-5', max_tokens: 8, cache_control: { type: 'ephemeral' } },
        system: `It is ${time}. ${LONG}`,
        messages: [{ role: 'user', content: 'hi' }],
      });
    }
  };

  it('finds the change in what OpenInference captured of an Anthropic client, with its usage', async () => {
    await askAnthropic(newAnthropic());
    const { calls } = await expectClockFound();
    const { theirs } = await found();
    expect(calls[1]?.attributes).toMatchObject({
      'prompt_cache.tokens.input': theirs[1]?.attributes['llm.token_count.prompt'],
      'prompt_cache.tokens.method': 'usage',
      'prompt_cache.finding': true,
    });
    expect(calls[1]?.attributes['prompt_cache.lineage']).toMatch(/^span-l/);
  });

  it('leaves out a call that a hook of ours saw', async () => {
    installSink(createTelemetrySink());
    await askAnthropic(observe(newAnthropic()));
    await flush();
    const { calls, spans } = await found();
    const told = spans.filter((span) => 'prompt_cache.lineage' in span.attributes);
    expect(told).toHaveLength(2);
    expect(calls.length).toBeLessThanOrEqual(2);
    for (const { attributes } of told) expect(attributes['prompt_cache.lineage']).not.toMatch(/^span-/);
  });

  it.each([
    ['OpenInference', () => new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1` })],
    ['OpenLLMetry', () => new OpenAIVersion6({ apiKey: 'k', baseURL: `${server.url}/v1` })],
  ])('finds the change in what %s captured of an OpenAI client', async (_name, newClient) => {
    const client = newClient() as OpenAI; // one shape in both releases
    for (const time of TIMES) {
      await client.chat.completions.create({
        model: 'gpt-5.1',
        messages: [
          { role: 'system', content: `It is ${time}. ${LONG}` },
          { role: 'user', content: 'hi' },
        ],
      });
    }
    const { calls } = await expectClockFound();
    expect(calls[1]?.attributes['prompt_cache.tokens.method']).toBe('usage');
  });
});

const tool = { name: 'look_up', description: 'Looks up.', parameters: { type: 'object' } };
const genAi = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'claude-opus-5',
  'gen_ai.provider.name': 'anthropic',
};
const usage = { 'gen_ai.usage.input_tokens': 9000, 'gen_ai.usage.cache_read.input_tokens': 0 };
const system = (time: string) => `It is ${time}. ${LONG}`;
const message = { role: 'user', parts: [{ type: 'text', content: 'hi' }] };

/** How the same call looks in each form, but for content on an event. */
const FORMS: [string, (time: string) => Attributes][] = [
  [
    'attributes of the conventions',
    (time) => ({
      ...{ ...genAi, ...usage },
      'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: system(time) }]),
      'gen_ai.input.messages': JSON.stringify([message]),
      'gen_ai.tool.definitions': JSON.stringify([{ type: 'function', ...tool }]),
    }),
  ],
  [
    'messages of OpenInference, whose body is masked',
    (time) => ({
      ...{ 'openinference.span.kind': 'LLM', 'llm.provider': 'anthropic', 'input.value': '__REDACTED__' },
      'llm.invocation_parameters': JSON.stringify({ model: 'claude-opus-5', max_tokens: 8 }),
      'llm.input_messages.0.message.role': 'system',
      'llm.input_messages.0.message.content': system(time),
      'llm.input_messages.1.message.role': 'user',
      'llm.input_messages.1.message.contents.0.message_content.type': 'text',
      'llm.input_messages.1.message.contents.0.message_content.text': 'hi',
      'llm.tools.0.tool.json_schema': JSON.stringify({ name: 'look_up', input_schema: tool.parameters }),
      'llm.token_count.prompt': 9000,
      'llm.token_count.prompt_details.cache_read': 0,
    }),
  ],
  [
    'the older form of OpenLLMetry',
    (time) => ({
      ...{
        'gen_ai.system': 'Anthropic',
        'llm.request.type': 'chat',
        'gen_ai.request.model': 'claude-opus-5',
      },
      'gen_ai.prompt.0.role': 'system',
      'gen_ai.prompt.0.content': system(time),
      'gen_ai.prompt.1.role': 'user',
      'gen_ai.prompt.1.content': JSON.stringify([{ type: 'text', text: 'hi' }]),
      'llm.request.functions.0.name': 'look_up',
      'llm.request.functions.0.parameters': JSON.stringify(tool.parameters),
      'gen_ai.usage.prompt_tokens': 9000,
      'gen_ai.usage.cache_read_input_tokens': 0,
    }),
  ],
];

describe('diagnoseSpans by form', () => {
  const endSpan = (attributes: Attributes) =>
    provider.getTracer('theirs').startSpan('chat', { kind: SpanKind.CLIENT, attributes }).end();

  it.each(FORMS)('reads %s', async (_form, attributesAt) => {
    for (const time of TIMES) endSpan(attributesAt(time));
    const { calls } = await expectClockFound();
    expect(calls[1]?.attributes).toMatchObject({
      'prompt_cache.tokens.input': 9000,
      'prompt_cache.tokens.read': 0,
    });
    expect(calls[1]?.attributes['prompt_cache.tokens.tools']).toBeGreaterThan(0);
  });

  it('reads content on an event of the span', async () => {
    for (const time of TIMES) {
      const span = provider.getTracer('theirs').startSpan('chat', { attributes: { ...genAi, ...usage } });
      span.addEvent('gen_ai.client.inference.operation.details', {
        'gen_ai.system_instructions': system(time),
        'gen_ai.input.messages': JSON.stringify([message]),
      });
      span.end();
    }
    await expectClockFound();
  });

  it('leaves spans without content, agents around calls and everything else alone', async () => {
    const [, withContent] = FORMS[0] as (typeof FORMS)[number];
    endSpan({ ...genAi, ...usage });
    endSpan({ ...withContent('10:00'), 'gen_ai.operation.name': 'invoke_agent' });
    endSpan({ 'openinference.span.kind': 'CHAIN', 'input.value': '{"model":"m","messages":[]}' });
    endSpan({ 'http.request.method': 'GET', 'gen_ai.prompt.0.role': 'user' });
    endSpan({ ...genAi, 'gen_ai.input.messages': '[{"role":' });
    const { calls, theirs } = await found();
    expect(theirs).toHaveLength(5);
    expect(calls).toEqual([]);
  });

  it('does not take a call that was refused for the baseline of the next', async () => {
    const [, attributesAt] = FORMS[0] as (typeof FORMS)[number];
    const { 'gen_ai.usage.input_tokens': _input, ...refused } = attributesAt('10:00');
    const span = provider.getTracer('theirs').startSpan('chat', { attributes: refused });
    span.setStatus({ code: SpanStatusCode.ERROR }).end();
    endSpan(attributesAt('10:01'));
    const { calls, divergences } = await found();
    expect(calls).toHaveLength(2);
    expect(divergences).toEqual([]);
  });

  it('exports what it finds at the shutdown of the set-up that it is a part of', async () => {
    const exporter = new InMemorySpanExporter();
    const names: string[] = [];
    exporter.export = (spans, done) => {
      names.push(...spans.map(({ name }) => name));
      done({ code: 0 });
    };
    trace.disable();
    const own = new BasicTracerProvider({
      spanProcessors: [diagnoseSpans(), new BatchSpanProcessor(exporter)],
    });
    trace.setGlobalTracerProvider(own);
    await new Promise((resolve) => setTimeout(resolve, 500)); // the engine loads as set-up ends; a program takes longer
    const [, attributesAt] = FORMS[0] as (typeof FORMS)[number];
    for (const time of TIMES)
      own
        .getTracer('theirs')
        .startSpan('chat', { attributes: attributesAt(time) })
        .end();
    await own.shutdown();
    expect(names.sort()).toEqual([
      'chat',
      'chat',
      'prompt_cache.call',
      'prompt_cache.call',
      'prompt_cache.divergence',
    ]);
  });
});
