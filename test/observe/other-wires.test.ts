import { describe, expect, it } from 'vitest';
import { observeFetchWith } from '../../src/observe/observe-fetch.ts';
import { type RecordedCall, recordCalls } from '../support/recorded-calls.ts';

const GEMINI_PATH = '/v1beta/models/gemini-3.5-flash:streamGenerateContent';
const GEMINI_USAGE = { promptTokenCount: 5000, cachedContentTokenCount: 4096, totalTokenCount: 5010 };
const CONVERSE_USAGE = {
  inputTokens: 10,
  outputTokens: 2,
  cacheReadInputTokens: 2000,
  cacheWriteInputTokens: 0,
};

async function recordOf(
  path: string,
  request: unknown,
  body: BodyInit,
  contentType: string,
): Promise<RecordedCall> {
  const recorded = recordCalls();
  const fetch = observeFetchWith(
    async () => new Response(body, { headers: { 'content-type': contentType } }),
    () => recorded.recorder,
  );
  const response = await fetch(`https://api.example${path}`, {
    method: 'POST',
    body: JSON.stringify(request),
  });
  await response.arrayBuffer();
  const [call] = await recorded.ended(1);
  if (call === undefined) throw new Error('unreachable: one call was awaited');
  return call;
}

describe('Gemini', () => {
  const chunk = (text: string, finishReason?: string) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, ...(finishReason && { finishReason }) }],
    modelVersion: 'gemini-3.5-flash-001',
    responseId: 'r-1',
    ...(finishReason && { usageMetadata: GEMINI_USAGE }),
  });
  const expected = { ending: 'completed', id: 'r-1', model: 'gemini-3.5-flash-001', usage: GEMINI_USAGE };

  it('is read as server-sent events', async () => {
    const body = [chunk('a'), chunk('b', 'STOP')]
      .map((data) => `data: ${JSON.stringify(data)}\r\n\r\n`)
      .join('');
    const { request, response } = await recordOf(
      `${GEMINI_PATH}?alt=sse`,
      { contents: [] },
      body,
      'text/event-stream',
    );
    expect(request).toMatchObject({ api: 'google.generateContent', model: 'gemini-3.5-flash' });
    expect(response).toMatchObject(expected);
  });

  it('is read as one array', async () => {
    const body = JSON.stringify([chunk('a'), chunk('b', 'STOP')]);
    const { response } = await recordOf(GEMINI_PATH, { contents: [] }, body, 'application/json');
    expect(response).toMatchObject(expected);
  });

  it('tells accounts apart by the key in the query, and keeps the key out', async () => {
    const recorded = recordCalls();
    const fetch = observeFetchWith(
      async () => Response.json({}),
      () => recorded.recorder,
    );
    for (const key of ['first', 'first', 'second']) {
      await (
        await fetch(`https://g.example${GEMINI_PATH}?key=${key}`, { method: 'POST', body: '{"contents":[]}' })
      ).text();
    }
    const [one, same, other] = recorded.started.map(({ account }) => account);
    expect(one).toBe(same);
    expect(one).not.toBe(other);
    expect(JSON.stringify(recorded.started)).not.toContain('second');
  });
});

describe('Bedrock', () => {
  it('reads a Converse answer', async () => {
    const body = JSON.stringify({ output: { message: {} }, stopReason: 'end_turn', usage: CONVERSE_USAGE });
    const { response } = await recordOf('/model/m/converse', { messages: [] }, body, 'application/json');
    expect(response).toMatchObject({ ending: 'completed', usage: CONVERSE_USAGE });
  });

  it('reads a Converse stream, whatever the pieces in which it comes', async () => {
    const frames = [
      frame({ ':message-type': 'event', ':event-type': 'contentBlockDelta' }, { delta: { text: 'hi' } }),
      frame({ ':message-type': 'event', ':event-type': 'messageStop' }, { stopReason: 'end_turn' }),
      frame({ ':message-type': 'event', ':event-type': 'metadata' }, { usage: CONVERSE_USAGE }),
    ];
    const { response } = await recordOf(
      '/model/m/converse-stream',
      { messages: [] },
      inPieces(Buffer.concat(frames), 7),
      'application/vnd.amazon.eventstream',
    );
    expect(response).toMatchObject({ ending: 'completed', usage: CONVERSE_USAGE });
  });

  it('reads the Anthropic events inside an InvokeModel stream', async () => {
    const event = (data: unknown): Buffer =>
      frame(
        { ':message-type': 'event', ':event-type': 'chunk' },
        { bytes: Buffer.from(JSON.stringify(data)).toString('base64') },
      );
    const frames = [
      event({ type: 'message_start', message: { id: 'msg_1', model: 'claude', usage: { input_tokens: 4 } } }),
      event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } }),
      event({ type: 'message_stop' }),
    ];
    const { response } = await recordOf(
      '/model/m/invoke-with-response-stream',
      { anthropic_version: 'bedrock-2023-05-31', messages: [] },
      inPieces(Buffer.concat(frames), 50),
      'application/vnd.amazon.eventstream',
    );
    expect(response).toMatchObject({
      ending: 'completed',
      id: 'msg_1',
      usage: { input_tokens: 4, output_tokens: 9 },
    });
  });

  it('records an exception in a stream as failed', async () => {
    const body = frame(
      { ':message-type': 'exception', ':exception-type': 'throttlingException' },
      { message: 'slow' },
    );
    const { response } = await recordOf(
      '/model/m/converse-stream',
      { messages: [] },
      new Uint8Array(body),
      'application/vnd.amazon.eventstream',
    );
    expect(response).toMatchObject({ ending: 'failed', error: { type: 'throttlingException' } });
  });

  it('gives up on bytes that are no event stream, without a word to the caller', async () => {
    const { response } = await recordOf(
      '/model/m/converse-stream',
      { messages: [] },
      'this is no frame at all',
      'application/vnd.amazon.eventstream',
    );
    expect(response).toMatchObject({ ending: 'completed' });
    expect(response.usage).toBeUndefined();
  });
});

describe('servers that mislabel what they send', () => {
  it.each([
    ['text/plain', JSON.stringify({ id: 'c', usage: { prompt_tokens: 3 } })],
    ['text/plain', 'data: {"id":"c","choices":[],"usage":{"prompt_tokens":3}}\n\ndata: [DONE]\n\n'],
  ])('are read by the form of the body', async (contentType, body) => {
    const { response } = await recordOf(
      '/v1/chat/completions',
      { model: 'm', messages: [] },
      body,
      contentType,
    );
    expect(response).toMatchObject({ ending: 'completed', id: 'c', usage: { prompt_tokens: 3 } });
  });

  it('keeps what an aggregator says: the upstream that answered, and an error inside status 200', async () => {
    const request = { model: 'm', messages: [] };
    const answer = JSON.stringify({ id: 'gen-1', provider: 'DeepInfra', usage: { prompt_tokens: 3 } });
    const good = await recordOf('/api/v1/chat/completions', request, answer, 'application/json');
    expect(good.response.provider).toBe('DeepInfra');
    const error = JSON.stringify({ error: { code: 502, message: 'upstream' } });
    const bad = await recordOf('/api/v1/chat/completions', request, error, 'application/json');
    expect(bad.response).toMatchObject({ ending: 'failed', error: { message: 'upstream' } });
  });
});

function frame(headers: Readonly<Record<string, string>>, payload: unknown): Buffer {
  const headerBytes = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const [nameBytes, valueBytes] = [Buffer.from(name), Buffer.from(value)];
      const length = Buffer.alloc(2);
      length.writeUInt16BE(valueBytes.length);
      return Buffer.concat([Buffer.of(nameBytes.length), nameBytes, Buffer.of(7), length, valueBytes]);
    }),
  );
  const payloadBytes = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(12 + headerBytes.length + payloadBytes.length + 4, 0);
  prelude.writeUInt32BE(headerBytes.length, 4);
  return Buffer.concat([prelude, headerBytes, payloadBytes, Buffer.alloc(4)]);
}

function inPieces(bytes: Buffer, sizeBytes: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) {
        controller.close();
        return;
      }
      controller.enqueue(new Uint8Array(bytes.subarray(at, at + sizeBytes)));
      at += sizeBytes;
    },
  });
}
