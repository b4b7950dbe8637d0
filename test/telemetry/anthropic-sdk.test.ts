import Anthropic from '@anthropic-ai/sdk';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';
import { divergedCall, exchangeRequest, exchangeResponse } from '../support/diagnosed-call.ts';
import {
  type RecordedSpans,
  registerContextManager,
  registerTracing,
  unregisterTracing,
} from './recorded-spans.ts';

let spans: RecordedSpans;
beforeEach(() => {
  registerContextManager();
  spans = registerTracing();
});
afterEach(unregisterTracing);

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-5',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: {
    input_tokens: 3,
    output_tokens: 5,
    cache_read_input_tokens: 1204,
    cache_creation_input_tokens: 18_486,
  },
};

const events = [
  { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 5 },
  },
  { type: 'message_stop' },
];

/** A transport that reports to the sink when the last byte was read, as a hook does. */
function observedFetch(body: string, contentType: string): typeof fetch {
  const sink = createTelemetrySink();
  return async () => {
    const call = sink.open(exchangeRequest());
    const source = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (body === '') {
            call.end(divergedCall(), exchangeResponse());
            controller.close();
          } else {
            controller.enqueue(new TextEncoder().encode(body));
            body = '';
          }
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(source, { headers: { 'content-type': contentType } });
  };
}

const parameters = {
  model: 'claude-sonnet-5',
  max_tokens: 10,
  messages: [{ role: 'user' as const, content: 'Hi' }],
};

function expectOneEnrichedSpan(): void {
  const [call, ...others] = spans.all().filter((span) => span.name !== 'prompt_cache.divergence');
  expect(others.map((span) => span.name)).toEqual([]);
  expect(call?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.usage.cache_read.input_tokens': 1204,
    'gen_ai.usage.cache_write.input_tokens': 18_486,
    'prompt_cache.outcome': 'partial',
  });
  expect(call?.attributes).not.toHaveProperty('gen_ai.usage.cache_creation.input_tokens');
  expect(spans.named('prompt_cache.divergence').parentSpanContext?.spanId).toBe(call?.spanContext().spanId);
}

it("adds to the span of Anthropic's own SDK and makes no second one", async () => {
  const client = new Anthropic({
    apiKey: 'k',
    fetch: observedFetch(JSON.stringify(message), 'application/json'),
  });
  await client.messages.create(parameters);
  expectOneEnrichedSpan();
});

it("adds to the span of Anthropic's own SDK when the answer is a stream", async () => {
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  const client = new Anthropic({ apiKey: 'k', fetch: observedFetch(body, 'text/event-stream') });
  for await (const _ of await client.messages.create({ ...parameters, stream: true })) {
    // read to the end, as an application does
  }
  expectOneEnrichedSpan();
});
