import { describe, expect, it } from 'vitest';
import { observeFetchWith } from '../../src/observe/observe-fetch.ts';
import { MAX_HELD_CHARS } from '../../src/response/body-reading.ts';
import { type RecordedCall, recordCalls } from '../support/recorded-calls.ts';

const COUNTS = { prompt_eval_count: 2112, eval_count: 3 };
const line = (content: string, rest: object = { done: false }): string =>
  `${JSON.stringify({ model: 'llama3.2', message: { role: 'assistant', content }, ...rest })}\n`;
const LAST = line('', { done: true, done_reason: 'stop', ...COUNTS });

async function recordOf(chunks: Iterable<string | Uint8Array>): Promise<RecordedCall> {
  const recorded = recordCalls();
  const encoder = new TextEncoder();
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks)
        controller.enqueue(typeof chunk === 'string' ? encoder.encode(chunk) : chunk);
      controller.close();
    },
  });
  const fetch = observeFetchWith(
    async () => new Response(source, { headers: { 'content-type': 'application/x-ndjson' } }),
    () => recorded.recorder,
  );
  const body = JSON.stringify({ model: 'llama3.2', messages: [], stream: true });
  await (await fetch('http://127.0.0.1:11434/api/chat', { method: 'POST', body })).arrayBuffer();
  const [call] = await recorded.ended(1);
  if (call === undefined) throw new Error('unreachable: one call was awaited');
  return call;
}

describe('lines of JSON', () => {
  it('are read byte by byte, with empty lines and line ends of Windows between them', async () => {
    const text = `${line('wörld 🙂')}\r\n\n${LAST.replace('\n', '\r\n')}`;
    const bytes = [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte));
    expect((await recordOf(bytes)).response).toMatchObject({
      ending: 'completed',
      model: 'llama3.2',
      usage: COUNTS,
    });
  });

  it('are read to a last line without a line end', async () => {
    const { response } = await recordOf([line('a'), LAST.trimEnd()]);
    expect(response).toMatchObject({ ending: 'completed', usage: COUNTS });
  });

  it('that end without a last one are a broken stream', async () => {
    const { response } = await recordOf([line('a'), line('b')]);
    expect(response).toMatchObject({ ending: 'failed', error: { type: 'stream_truncated' } });
    expect(response.usage).toBeUndefined();
  });

  it('may have one between them that is no JSON', async () => {
    const { response } = await recordOf([line('a'), 'not JSON\n', LAST]);
    expect(response).toMatchObject({ ending: 'completed', usage: COUNTS });
  });

  it('are not fooled by content that looks like facts', async () => {
    const call = { function: { name: 'f', arguments: { done: true, error: 'none', prompt_eval_count: 1 } } };
    const tricky = line('{"done":true,"error":"x"}', { done: false, tool_calls: [call] });
    const { response } = await recordOf([tricky, tricky, LAST]);
    expect(response).toMatchObject({ ending: 'completed', usage: COUNTS });
    expect(response.error).toBeUndefined();
  });

  it('are given up where one is larger than what is held, without calling the call broken', async () => {
    const { response } = await recordOf(['{"model":"m","x":"', 'x'.repeat(MAX_HELD_CHARS), '"}\n']);
    expect(response).toMatchObject({ ending: 'completed' });
    expect(response.usage).toBeUndefined();
  });

  it('state no usage where the server states none', async () => {
    const { response } = await recordOf([line('a'), line('', { done: true })]);
    expect(response.ending).toBe('completed');
    expect(response.usage).toBeUndefined();
  });
});
