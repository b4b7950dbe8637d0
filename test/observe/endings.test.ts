import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observeClient } from '../../src/observe/observe-client.ts';
import { attempt, collect, countingTransport } from '../support/attempts.ts';
import {
  ANTHROPIC_USAGE,
  anthropicEvents,
  CHAT_USAGE,
  chatEvents,
  eventReply,
  RESPONSES_USAGE,
} from '../support/model-replies.ts';
import { nextTurn, type RecordedCall, type RecordedCalls, recordCalls } from '../support/recorded-calls.ts';
import { type ScriptedReply, type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts';
import { SDK_TARGETS, type SdkClient, type SdkTarget } from '../support/sdk-targets.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

const USAGE: Readonly<Record<string, unknown>> = {
  messages: ANTHROPIC_USAGE,
  completions: CHAT_USAGE,
  responses: RESPONSES_USAGE,
};
const usageOf = (target: SdkTarget): unknown => USAGE[target.name.split(' ').at(-1) ?? ''];

interface Observed extends RecordedCalls {
  readonly client: SdkClient;
}

function observed(
  target: SdkTarget,
  replies: readonly ScriptedReply[],
  options: Parameters<typeof recordCalls>[0] = {},
): Observed {
  server.script(replies);
  const recorded = recordCalls(options);
  return { ...recorded, client: observeClient(target.newClient(server.url), {}, () => recorded.recorder) };
}

async function only(recorded: RecordedCalls): Promise<RecordedCall> {
  const [call] = await recorded.ended(1);
  await nextTurn();
  expect(recorded.calls).toHaveLength(1);
  if (call === undefined) throw new Error('unreachable: one call was awaited');
  return call;
}

describe.each(SDK_TARGETS)('$name', (target) => {
  it('records id, model, tier and usage of a JSON answer', async () => {
    const recorded = observed(target, [target.jsonReply]);
    await target.create(recorded.client, 'hi');
    const { request, response } = await only(recorded);
    expect(request.body).toBe(server.received[0]?.body);
    expect(request.endpoint).toBe(new URL(server.url).host);
    expect(response).toMatchObject({ ending: 'completed', status: 200, usage: usageOf(target) });
    expect(response.id).toMatch(/^(msg|chatcmpl|resp)[_-]1$/);
    expect(response.model).toMatch(/^(claude-opus-5-20260601|gpt-5.5-2026-04-01|gpt-6.1-sol)$/);
    expect(response.serviceTier).toMatch(/^(standard|default)$/);
  });

  it('records the same of a stream, and as completed although openai cancels it after [DONE]', async () => {
    const recorded = observed(target, [target.streamReply()]);
    await collect(await target.stream(recorded.client, 'hi'));
    const { response } = await only(recorded);
    expect(response).toMatchObject({ ending: 'completed', status: 200, usage: usageOf(target) });
    expect(response.id).toMatch(/^(msg|chatcmpl|resp)[_-]1$/);
    expect(response.completedAtMs).toBeGreaterThanOrEqual(response.firstByteAtMs ?? Number.POSITIVE_INFINITY);
  });

  it('has ended the record before the caller gets the end of the stream', async () => {
    const recorded = observed(target, [target.streamReply()]);
    const stream = await target.stream(recorded.client, 'hi');
    let endedAtLastEvent = -1;
    for await (const _ of stream) endedAtLastEvent = recorded.calls.length;
    expect(endedAtLastEvent).toBe(1);
  });

  it('has ended the record before the caller gets a JSON answer', async () => {
    const recorded = observed(target, [target.jsonReply]);
    await recorded.recorder.flush();
    await target.create(recorded.client, 'hi');
    expect(recorded.calls).toHaveLength(1);
  });

  it('records an early break as canceled, with what had passed by then', async () => {
    const recorded = observed(target, [target.streamReply('hang', 3)]);
    await collect(await target.stream(recorded.client, 'hi'), 1);
    const { response } = await only(recorded);
    expect(response).toMatchObject({ ending: 'canceled', status: 200 });
    expect(response.error).toBeUndefined();
    expect(response.id).toMatch(/^(msg|chatcmpl|resp)[_-]1$/);
  });

  it('records an abort in the middle of a stream as canceled', async () => {
    const recorded = observed(target, [target.streamReply('hang', 3)]);
    const controller = new AbortController();
    const stream = await target.stream(recorded.client, 'hi', { signal: controller.signal });
    for await (const _ of stream) controller.abort();
    expect((await only(recorded)).response).toMatchObject({ ending: 'canceled', status: 200 });
  });

  it('records an abort before the response as canceled, without a status', async () => {
    const recorded = observed(target, [{ chunks: [], afterwards: 'hang' }]);
    const controller = new AbortController();
    const pending = target.create(recorded.client, 'hi', { signal: controller.signal });
    pending.catch(() => {});
    while (server.received.length === 0) await nextTurn();
    controller.abort();
    await expect(pending).rejects.toThrow('aborted');
    const { response } = await only(recorded);
    expect(response.ending).toBe('canceled');
    expect(response.status).toBeUndefined();
  });

  it('records a cut connection as failed, with the code of the error', async () => {
    const recorded = observed(target, [target.streamReply('destroy', 3)]);
    await expect(collect(await target.stream(recorded.client, 'hi'))).rejects.toThrow(
      target.cutConnection.message,
    );
    expect((await only(recorded)).response).toMatchObject({
      ending: 'failed',
      error: { type: target.cutConnection.code },
    });
  });

  it('records a stream without its terminal event as failed', async () => {
    const recorded = observed(target, [target.streamReply('end', 3)]);
    await collect(await target.stream(recorded.client, 'hi'));
    expect((await only(recorded)).response).toMatchObject({
      ending: 'failed',
      error: { type: 'stream_truncated' },
    });
  });

  it('records a rejected request as failed, with the type of the error', async () => {
    const body = JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: 'no' } });
    const recorded = observed(target, [{ status: 400, chunks: [body] }]);
    await expect(target.create(recorded.client, 'hi')).rejects.toThrow();
    expect((await only(recorded)).response).toMatchObject({
      ending: 'failed',
      status: 400,
      error: { type: 'invalid_request_error', message: 'no' },
    });
  });

  const busy = { status: 429, headers: { 'retry-after-ms': '1' }, chunks: ['{}'] };

  it('records the attempts of a retried call as one call', async () => {
    const recorded = observed(target, [busy, busy, target.jsonReply]);
    await target.create(recorded.client, 'hi');
    expect((await only(recorded)).response).toMatchObject({ ending: 'completed', status: 200, attempts: 3 });
  });

  it('records a network that cannot be reached', async () => {
    const recorded = recordCalls();
    const client = observeClient(target.newClient('http://127.0.0.1:1'), {}, () => recorded.recorder);
    await expect(target.create(client, 'hi', { maxRetries: 0 })).rejects.toThrow();
    expect(recorded.calls).toHaveLength(0);
    await recorded.recorder.flush();
    expect((await only(recorded)).response.ending).toBe('failed');
  });

  it('records a response that nobody reads when its time is over', async () => {
    const recorded = observed(target, [target.streamReply('hang', 2)], { abandonedAfterMs: 20 });
    const stream = await target.stream(recorded.client, 'hi');
    expect((await only(recorded)).response).toMatchObject({ ending: 'canceled', status: 200 });
    stream.controller.abort();
  });

  it('records 100 concurrent calls once each', async () => {
    const recorded = observed(target, [target.jsonReply]);
    await Promise.all(Array.from({ length: 100 }, (_, at) => target.create(recorded.client, `hi ${at}`)));
    expect(new Set(recorded.calls.map(({ request }) => request.body)).size).toBe(100);
    expect(recorded.calls).toHaveLength(100);
  });

  it('leaves the source alone that the caller does not read, and cancels it when the caller does', async () => {
    const counts = { pulls: 0, cancels: 0 };
    const recorded = recordCalls();
    const plain = target.newClient(server.url, countingTransport(counts));
    const client = observeClient(plain, {}, () => recorded.recorder);
    await attempt(server, [target.streamReply()], counts, async () => {
      const response = await target.stream(client, 'hi').asResponse();
      expect(counts.pulls).toBe(0);
      await response.body?.cancel('enough');
    });
    expect(counts).toEqual({ pulls: 0, cancels: 1 });
    expect((await only(recorded)).response.ending).toBe('canceled');
  });
});

const [anthropic, chat] = SDK_TARGETS as [SdkTarget, SdkTarget];

describe('details of single APIs', () => {
  it('keeps the split of cache writes that only the first event of an Anthropic stream has', async () => {
    const recorded = observed(anthropic, [eventReply(anthropicEvents(['a']))]);
    await collect(await anthropic.stream(recorded.client, 'hi'));
    const { response } = await only(recorded);
    expect(response.usage).toEqual(ANTHROPIC_USAGE);
    expect(response.diagnostics).toBeNull();
  });

  it('does not invent usage where a chat stream states none', async () => {
    const recorded = observed(chat, [eventReply(chatEvents(['a'], false))]);
    await collect(await chat.stream(recorded.client, 'hi'));
    const { response } = await only(recorded);
    expect(response.ending).toBe('completed');
    expect(response.usage).toBeUndefined();
  });

  it('is not fooled by content that looks like facts', async () => {
    const text =
      '{"usage":{"prompt_tokens":1},"error":{"type":"x"},"finish_reason":"stop"}\n\ndata: [DONE]\n\n';
    const recorded = observed(chat, [eventReply(chatEvents([text, text]))]);
    await collect(await chat.stream(recorded.client, 'hi'));
    expect((await only(recorded)).response).toMatchObject({ ending: 'completed', usage: CHAT_USAGE });
  });

  it('reads a stream that arrives byte by byte', async () => {
    const reply = anthropic.streamReply();
    const bytes = new TextEncoder().encode(reply.chunks.join(''));
    const recorded = recordCalls();
    const transport = async (): Promise<Response> =>
      new Response(
        new ReadableStream<Uint8Array>({
          start(controller) {
            for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
            controller.close();
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    const client = observeClient(anthropic.newClient(server.url, transport), {}, () => recorded.recorder);
    await collect(await anthropic.stream(client, 'hi'));
    expect((await only(recorded)).response).toMatchObject({ ending: 'completed', usage: ANTHROPIC_USAGE });
  });

  it('records a response that the garbage collector takes unread', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const recorded = observed(anthropic, [anthropic.jsonReply]);
    await anthropic.create(recorded.client, 'hi').asResponse();
    while (recorded.calls.length === 0) {
      collectGarbage();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(recorded.calls[0]?.response).toMatchObject({ ending: 'canceled', status: 200 });
  });
});
