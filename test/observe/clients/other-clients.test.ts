/** What is recorded of the clients of no common generator: one record a call, however it ends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observeClient } from '../../../src/observe/observe-client.ts';
import type { RecorderOptions } from '../../../src/observe/recorder.ts';
import { brokenBody } from '../../support/api-replies.ts';
import { collect, countingTransport } from '../../support/attempts.ts';
import { OTHER_TARGETS, type OtherTarget } from '../../support/other-targets.ts';
import {
  nextTurn,
  type RecordedCall,
  type RecordedCalls,
  recordCalls,
} from '../../support/recorded-calls.ts';
import {
  type ScriptedReply,
  type ScriptedServer,
  startScriptedServer,
} from '../../support/scripted-server.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

interface Observed extends RecordedCalls {
  readonly client: object;
}

function observed(
  target: OtherTarget,
  reply: ScriptedReply,
  options: Partial<RecorderOptions> & { readonly fetch?: typeof fetch } = {},
): Observed {
  server.script([reply]);
  const recorded = recordCalls(options);
  const client = target.newClient(server.url, options.fetch);
  return { ...recorded, client: observeClient(client, {}, () => recorded.recorder) };
}

async function only(recorded: RecordedCalls): Promise<RecordedCall> {
  const [call] = await recorded.ended(1);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  expect(recorded.calls).toHaveLength(1);
  expect(recorded.opened).toHaveLength(1);
  if (call === undefined) throw new Error('unreachable: one call was awaited');
  return call;
}

describe.each(OTHER_TARGETS)('$name', (target) => {
  it('records the bytes that were sent, and the facts of a JSON answer', async () => {
    const recorded = observed(target, target.jsonReply);
    await target.create(recorded.client, 'hi');
    const { request, response } = await only(recorded);
    expect(request.body).toBe(server.received[0]?.body);
    expect(request.endpoint).toBe(new URL(server.url).host);
    expect(response).toMatchObject({ ending: 'completed', status: 200, ...target.recorded });
  });

  it('records the same of a stream, before the caller gets its end', async () => {
    const recorded = observed(target, target.streamReply());
    let endedAtLastEvent = -1;
    for await (const _ of await target.stream(recorded.client, 'hi'))
      endedAtLastEvent = recorded.calls.length;
    expect(endedAtLastEvent).toBe(1);
    expect((await only(recorded)).response).toMatchObject({
      ending: 'completed',
      status: 200,
      ...target.recorded,
    });
  });

  it('records none of the credentials', async () => {
    const recorded = observed(target, target.jsonReply);
    await target.create(recorded.client, 'hi');
    expect(JSON.stringify(await only(recorded))).not.toContain('test-key');
  });

  it('records an early break as canceled', async () => {
    const recorded = observed(target, target.streamReply('hang', 3), { abandonedAfterMs: 50 });
    await collect(await target.stream(recorded.client, 'hi'), 1);
    const { response } = await only(recorded);
    expect(response).toMatchObject({ ending: 'canceled', status: 200 });
    expect(response.error).toBeUndefined();
    expect(response.model).toBe(target.recorded.model);
  });

  it('records an abort in the middle of a stream as canceled', async () => {
    const recorded = observed(target, target.streamReply('hang', 3));
    const controller = new AbortController();
    const stream = await target.stream(recorded.client, 'hi', { signal: controller.signal });
    const reading = collect(stream);
    await nextTurn();
    if (target.takesSignal) controller.abort();
    else (stream as unknown as AbortController).abort();
    await expect(reading).rejects.toThrow();
    expect((await only(recorded)).response).toMatchObject({ ending: 'canceled', status: 200 });
  });

  it.runIf(target.takesSignal)('records an abort before the response as canceled', async () => {
    const recorded = observed(target, { chunks: [], afterwards: 'hang' });
    const controller = new AbortController();
    const pending = target.create(recorded.client, 'hi', { signal: controller.signal });
    pending.catch(() => {});
    while (server.received.length === 0) await nextTurn();
    controller.abort();
    await expect(pending).rejects.toThrow();
    const { response } = await only(recorded);
    expect(response.ending).toBe('canceled');
    expect(response.status).toBeUndefined();
  });

  it('records a cut connection as failed, with the code of the error', async () => {
    const recorded = observed(target, target.streamReply('destroy', 3));
    await expect(collect(await target.stream(recorded.client, 'hi'))).rejects.toThrow();
    await recorded.recorder.flush();
    expect((await only(recorded)).response).toMatchObject({
      ending: 'failed',
      error: { type: 'UND_ERR_SOCKET' },
    });
  });

  it('records a body that breaks over a transport of the user as failed', async () => {
    const fetch = countingTransport({ pulls: 0, cancels: 0 }, brokenBody);
    const recorded = observed(target, target.streamReply('end', 3), { fetch });
    await expect(collect(await target.stream(recorded.client, 'hi'))).rejects.toThrow();
    expect((await only(recorded)).response).toMatchObject({ ending: 'failed', error: { type: 'TypeError' } });
  });

  it('records an error inside a stream as failed', async () => {
    const { chunks, ...reply } = target.streamReply('end', 2);
    const recorded = observed(target, { ...reply, chunks: [...chunks, target.errorChunk] });
    await collect(await target.stream(recorded.client, 'hi')).catch(() => {});
    const { response } = await only(recorded);
    expect(response).toMatchObject({ ending: 'failed', status: 200 });
    expect(response.error?.message).toMatch(/busy|out of memory/);
  });

  it('records a rejected request as failed, with what the server says', async () => {
    const recorded = observed(target, target.errorReply(400));
    await expect(target.create(recorded.client, 'hi')).rejects.toThrow();
    expect((await only(recorded)).response).toMatchObject({
      ending: 'failed',
      status: 400,
      error: { message: 'status 400' },
    });
  });

  it('records a stream that nobody reads when its time is over', async () => {
    const recorded = observed(target, target.streamReply('hang', 2), { abandonedAfterMs: 20 });
    await target.stream(recorded.client, 'hi');
    expect((await only(recorded)).response).toMatchObject({ ending: 'canceled', status: 200 });
  });

  it('records a network that cannot be reached', async () => {
    const recorded = recordCalls();
    const client = observeClient(target.newClient('http://127.0.0.1:1'), {}, () => recorded.recorder);
    await expect(target.create(client, 'hi')).rejects.toThrow();
    await recorded.recorder.flush();
    expect((await only(recorded)).response.ending).toBe('failed');
  });

  it('records 100 concurrent calls once each', async () => {
    const recorded = observed(target, target.jsonReply);
    await Promise.all(Array.from({ length: 100 }, (_, at) => target.create(recorded.client, `hi ${at}`)));
    expect(new Set(recorded.calls.map(({ request }) => request.body)).size).toBe(100);
    expect(recorded.calls).toHaveLength(100);
  });

  it('leaves the client as it was, observes once, and adds a scope without recording twice', async () => {
    server.script([target.jsonReply]);
    const recorded = recordCalls();
    const observe = <Client extends object>(client: Client, options = {}): Client =>
      observeClient(client, options, () => recorded.recorder);
    const plain = target.newClient(server.url);
    const copy = observe(plain);
    expect(copy).not.toBe(plain);
    expect(copy).toBeInstanceOf(target.clientClass);
    expect(observe(copy)).toBe(copy);
    await target.create(plain, 'unseen');
    expect(recorded.opened).toHaveLength(0);
    await target.create(observe(copy, { scope: { phase: 'planner' } }), 'seen');
    expect((await only(recorded)).request.scope).toEqual({ phase: 'planner' });
  });

  it('sends through the transport that the options name', async () => {
    server.script([target.jsonReply]);
    const recorded = recordCalls();
    let requests = 0;
    const transport: typeof fetch = (input, init) => {
      requests++;
      return fetch(input, init);
    };
    const client = observeClient(
      target.newClient('http://127.0.0.1:1'),
      { fetch: (input, init) => transport(rebased(input), init) },
      () => recorded.recorder,
    );
    await target.create(client, 'hi');
    expect(requests).toBe(1);
    expect((await only(recorded)).request.endpoint).toBe('127.0.0.1:1');
  });
});

/** The same request, at the scripted server. */
function rebased(input: Parameters<typeof fetch>[0]): Parameters<typeof fetch>[0] {
  const address = typeof input === 'object' && 'url' in input ? input.url : String(input);
  const url = new URL(new URL(address).pathname, server.url);
  return typeof input === 'object' && 'url' in input ? new Request(url, input) : url;
}
