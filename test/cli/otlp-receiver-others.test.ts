/** Model calls that other instrumentations tell of: diagnosed where they hold their prompt, each once, counted where not. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { receivedSpans } from '../../cli/sources/otlp/received-spans.ts';
import { otlpReceiverSource } from '../../cli/sources/otlp-receiver.ts';
import type { JsonObject } from '../../src/exchange.ts';
import * as semconv from '../../src/telemetry/semconv.ts';
import {
  LONG_TEXT,
  MODEL_CALL,
  promptAttributes,
  type SpanParts,
  tracesData,
} from '../support/genai-span-json.ts';
import { type ReadReceiver, startReadReceiver } from './received-source.ts';

let receiver: ReadReceiver;
beforeEach(async () => {
  receiver = await startReadReceiver();
});
afterEach(() => receiver.end());

const send = (...spans: SpanParts[]) => receiver.postJson(tracesData(spans));
const START_MS = 1_800_000_000_000;
const FIRST = 'a000000000000001';
const SECOND = 'a000000000000002';

const openInference = (time: string) => ({
  ...{ 'openinference.span.kind': 'LLM', 'llm.token_count.prompt': 9000 },
  'input.value': JSON.stringify({
    ...{ model: 'claude-opus-5', max_tokens: 8 },
    system: [{ type: 'text', text: `It is ${time}. ${LONG_TEXT}`, cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: 'hi' }],
  }),
});

const FORMS: [string, (time: string) => Omit<SpanParts, 'spanId'>][] = [
  ['the conventions, on the span', (time) => ({ attributes: { ...MODEL_CALL, ...promptAttributes(time) } })],
  [
    'the conventions, on an event of the span',
    (time) => ({
      attributes: MODEL_CALL,
      events: [{ name: 'gen_ai.client.inference.operation.details', attributes: promptAttributes(time) }],
    }),
  ],
  [
    'the conventions, as lists and maps',
    (time) => ({
      attributes: {
        ...MODEL_CALL,
        'gen_ai.system_instructions': [{ type: 'text', content: `It is ${time}. ${LONG_TEXT}` }],
        'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }],
      },
    }),
  ],
  ['OpenInference', (time) => ({ attributes: openInference(time) })],
  [
    'OpenLLMetry',
    (time) => ({
      attributes: {
        ...{ 'gen_ai.system': 'Anthropic', 'gen_ai.request.model': 'claude-opus-5' },
        ...{ 'llm.request.type': 'chat', 'gen_ai.usage.prompt_tokens': 9000 },
        ...{ 'gen_ai.prompt.0.role': 'system', 'gen_ai.prompt.0.content': `It is ${time}. ${LONG_TEXT}` },
        ...{ 'gen_ai.prompt.1.role': 'user', 'gen_ai.prompt.1.content': 'hi' },
      },
    }),
  ],
];

describe('model calls with content', () => {
  it.each(FORMS)('in the form of %s are diagnosed', async (_form, partsAt) => {
    await send({ spanId: FIRST, ...partsAt('10:00') });
    await send({ spanId: SECOND, startMs: START_MS + 1000, ...partsAt('10:01') });
    const [first, second, ...others] = await receiver.end();
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      index: 0,
      baseline: null,
      at: '2027-01-15T08:00:00.000Z',
      divergence: null,
    });
    expect(second).toMatchObject({
      ...{ index: 1, baseline: 0, model: 'claude-opus-5' },
      divergence: { kind: 'system.timestamp', component: 'system' },
      tokens: { input: 9000 },
    });
    expect(receiver.source.notes.unreadable.count).toBe(0);
  });

  it('are compared in the order in which they were made, in whatever order a batch holds them', async () => {
    const parts = (time: string) => ({ attributes: { ...MODEL_CALL, ...promptAttributes(time) } });
    await send(
      { spanId: SECOND, startMs: START_MS + 1000, ...parts('10:01') },
      { spanId: FIRST, ...parts('10:00') },
    );
    const calls = await receiver.end();
    expect(calls.map(({ id }) => id.slice(-1))).toEqual(['1', '2']);
    expect(calls[1]?.excerpt?.after ?? JSON.stringify(calls[1])).toContain('10:01');
  });

  it('are told once where an exporter that heard no answer sends them again', async () => {
    const call = { spanId: FIRST, attributes: { ...MODEL_CALL, ...promptAttributes('10:00') } };
    await send(call);
    await send(call);
    expect(await receiver.end()).toHaveLength(1);
  });
});

describe('spans around the same call', () => {
  const INNER = {
    spanId: SECOND,
    parentSpanId: FIRST,
    attributes: { ...MODEL_CALL, ...promptAttributes('10:00') },
  };
  const OUTER = { spanId: FIRST, attributes: openInference('10:00') };
  const BARE_INNER = { ...INNER, attributes: MODEL_CALL };
  const DRAWN_INNER = {
    ...INNER,
    attributes: { ...MODEL_CALL, ...promptAttributes('10:00'), [semconv.ATTR_LINEAGE]: 'l1' },
  };
  const DRAWN_BELOW = {
    ...{ spanId: SECOND, parentSpanId: FIRST, name: semconv.SPAN_CALL, scope: 'prefixtrace' },
    attributes: { [semconv.ATTR_LINEAGE]: 'l1', [semconv.ATTR_TURN]: 1 },
  };

  it.each<[string, SpanParts[], string]>([
    ['two instrumentations', [INNER, OUTER], 'traced-l1'],
    ['one with content around one without', [BARE_INNER, OUTER], 'traced-l1'],
    ['one with our diagnosis inside one with content', [DRAWN_INNER, OUTER], 'l1'],
    ['our diagnosis below a span with content', [OUTER, DRAWN_BELOW], 'l1'],
    ['our diagnosis below a span without', [{ ...OUTER, attributes: MODEL_CALL }, DRAWN_BELOW], 'l1'],
  ])('%s make one call, together or one after the other, either first', async (_name, spans, lineage) => {
    for (const batches of [
      [spans],
      spans.map((span) => [span]),
      [...spans].reverse().map((span) => [span]),
    ]) {
      const fresh = await startReadReceiver();
      for (const batch of batches) await fresh.postJson(tracesData(batch));
      const calls = await fresh.end();
      expect(calls.map((call) => [call.index, call.lineage])).toEqual([[0, lineage]]);
      expect(fresh.source.notes.unreadable).toMatchObject({ count: 0, first: [] });
    }
  });

  it('an outer span with content of several calls is none of them', async () => {
    const inner = (spanId: string, time: string, startMs: number) => ({
      ...{ spanId, parentSpanId: FIRST, startMs },
      attributes: { ...MODEL_CALL, ...promptAttributes(time) },
    });
    await send(OUTER, inner(SECOND, '10:00', START_MS), inner('a000000000000003', '10:01', START_MS + 100));
    const calls = await receiver.end();
    expect(calls.map(({ id }) => id.slice(-1))).toEqual(['2', '3']);
  });
});

describe('model calls without content', () => {
  it('are counted and told in one note', async () => {
    for (let index = 0; index < 12; index++)
      await send({ spanId: `b0000000000000${index + 10}`, attributes: MODEL_CALL });
    expect(await receiver.end()).toEqual([]);
    const { unreadable } = receiver.source.notes;
    expect(unreadable.count).toBe(12);
    expect(unreadable.first.map(({ reason }) => reason)).toEqual([
      '12 model spans without content: switch content capture on, or use observe()',
    ]);
  });

  it('are none where the span is of an agent, a tool or an embedding', async () => {
    for (const operation of ['invoke_agent', 'execute_tool', 'embeddings'])
      await send({ spanId: FIRST, attributes: { ...MODEL_CALL, 'gen_ai.operation.name': operation } });
    expect(await receiver.end()).toEqual([]);
    expect(receiver.source.notes.unreadable.count).toBe(0);
  });
});

describe('what is held', () => {
  it('of a call that its own program diagnosed, nothing of its prompt, and nothing of an error that quotes it', () => {
    const attributes = {
      ...{ ...MODEL_CALL, ...promptAttributes('10:00'), ...openInference('10:00') },
      [semconv.ATTR_LINEAGE]: 'l1',
      'exception.message': `cannot read ${LONG_TEXT}`,
    };
    const { drawn, traced } = receivedSpans(tracesData([{ spanId: FIRST, attributes }]) as JsonObject);
    expect(traced).toEqual([]);
    expect(drawn[0]?.attributes).toEqual({
      ...{ ...MODEL_CALL, 'llm.token_count.prompt': 9000 },
      [semconv.ATTR_LINEAGE]: 'l1',
    });
  });

  it('nothing of spans that tell of no call', async () => {
    const small = await startReadReceiver({ maxWaitingBytes: 1 });
    for (let index = 0; index < 20; index++) {
      const response = await small.postJson(
        tracesData([{ spanId: FIRST, name: 'GET /', attributes: { 'http.route': '/' } }]),
      );
      expect(await response.json()).toEqual({});
    }
    expect(small.source.notes.skippedLines.count).toBe(0);
    await small.end();
  });

  it('what comes faster than it is read is dropped, counted, and said to the exporter', async () => {
    const unread = await otlpReceiverSource({ port: 0, maxWaitingBytes: 5_000 });
    const body = (spanId: string) =>
      JSON.stringify(tracesData([{ spanId, attributes: { ...MODEL_CALL, ...promptAttributes('10:00') } }]));
    const answers = [];
    for (const spanId of [FIRST, SECOND, 'a000000000000003']) {
      const response = await fetch(`${unread.url}/v1/traces`, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: body(spanId) },
      });
      answers.push([response.status, await response.json()]);
    }
    const rejected = {
      partialSuccess: { rejectedSpans: '1', errorMessage: 'spans come faster than they are shown' },
    };
    expect(answers).toEqual([
      [200, {}],
      [200, rejected],
      [200, rejected],
    ]);
    expect(unread.notes.skippedLines).toMatchObject({ count: 2 });
    expect(unread.notes.skippedLines.first.map(({ reason }) => reason)).toEqual([
      '2 spans that came faster than they could be shown',
    ]);
    const calls = [];
    for await (const batch of unread.read()) calls.push(...batch);
    expect(calls).toHaveLength(1);
    await unread.close();
  });
});
