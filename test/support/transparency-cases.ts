/**
 * What a host does with a client of any official SDK, for the transparency suite. Names complete the sentence
 * "does not change …".
 */
import { brokenBody, errorReply } from './api-replies.ts';
import { collect, responseFacts } from './attempts.ts';
import type { ScriptedReply } from './scripted-server.ts';
import type { SdkClient, SdkTarget } from './sdk-targets.ts';

export interface TransparencyCase {
  readonly name: string;
  replies(target: SdkTarget): readonly ScriptedReply[];
  /** `requested` waits until the server was sent a number of requests. */
  run(target: SdkTarget, client: SdkClient, requested: (count: number) => Promise<void>): Promise<unknown>;
  /** Needs the timing of a real connection, which a transport with a finished body has not. */
  readonly isNetworkOnly?: boolean;
  /** Many calls: the versions between the newest and the oldest leave it out. */
  readonly isHeavy?: boolean;
  /** Breaks the body after its last piece; a plain connection is cut instead. */
  readonly breaksWith?: Error;
}

export const TRANSPARENCY_CASES: readonly TransparencyCase[] = [
  {
    name: 'create',
    replies: (target) => [target.jsonReply],
    run: (target, client) => target.create(client, 'hi'),
  },
  {
    name: 'withResponse of a JSON answer',
    replies: (target) => [target.jsonReply],
    async run(target, client) {
      const { data, response } = await target.create(client, 'hi').withResponse();
      return { data, ...responseFacts(response) };
    },
  },
  {
    name: 'asResponse, read by text, with a clone',
    replies: (target) => [target.jsonReply],
    async run(target, client) {
      const response = await target.create(client, 'hi').asResponse();
      const clone = response.clone();
      return {
        before: responseFacts(response),
        ofClone: responseFacts(clone),
        cloned: await clone.json(),
        text: await response.text(),
        after: responseFacts(response),
        secondRead: await response.text().catch((error: Error) => error.name),
      };
    },
  },
  {
    name: 'asResponse, read into a buffer of the caller',
    isNetworkOnly: true,
    replies: (target) => [target.jsonReply],
    async run(target, client) {
      const response = await target.create(client, 'hi').asResponse();
      const reader = response.body?.getReader({ mode: 'byob' });
      let text = '';
      for (;;) {
        const result = await reader?.read(new Uint8Array(64));
        if (result?.value === undefined || result.done) return text;
        text += new TextDecoder().decode(result.value);
      }
    },
  },
  {
    name: 'headers of a response are read-only',
    isNetworkOnly: true,
    replies: (target) => [target.jsonReply],
    async run(target, client) {
      const response = await target.create(client, 'hi').asResponse();
      await response.text();
      response.headers.set('x-other', '1');
    },
  },
  {
    name: 'a stream read to its end',
    replies: (target) => [target.streamReply()],
    run: async (target, client) => collect(await target.stream(client, 'hi')),
  },
  {
    name: 'withResponse of a stream',
    replies: (target) => [target.streamReply()],
    async run(target, client) {
      const { data, response } = await target.stream(client, 'hi').withResponse();
      return { events: await collect(data), ...responseFacts(response) };
    },
  },
  {
    name: 'tee',
    replies: (target) => [target.streamReply()],
    async run(target, client) {
      const [left, right] = (await target.stream(client, 'hi')).tee();
      return { left: await collect(left), right: await collect(right) };
    },
  },
  {
    name: 'toReadableStream',
    replies: (target) => [target.streamReply()],
    run: async (target, client) =>
      new Response((await target.stream(client, 'hi')).toReadableStream()).text(),
  },
  {
    name: 'a second iteration of one stream',
    replies: (target) => [target.streamReply()],
    async run(target, client) {
      const stream = await target.stream(client, 'hi');
      await collect(stream);
      return collect(stream);
    },
  },
  {
    name: 'an early break',
    replies: (target) => [target.streamReply()],
    run: async (target, client) => collect(await target.stream(client, 'hi'), 2),
  },
  {
    name: 'an early break while the server keeps the stream open',
    isNetworkOnly: true,
    replies: (target) => [target.streamReply('hang', 3)],
    run: async (target, client) => collect(await target.stream(client, 'hi'), 1),
  },
  {
    name: 'an abort before there is a response',
    isNetworkOnly: true,
    replies: () => [{ chunks: [], afterwards: 'hang' }],
    async run(target, client, requested) {
      const controller = new AbortController();
      const pending = target.create(client, 'hi', { signal: controller.signal });
      pending.catch(() => {});
      await requested(1);
      controller.abort();
      return pending;
    },
  },
  {
    name: 'an abort by signal in the middle of a stream',
    isNetworkOnly: true,
    replies: (target) => [target.streamReply('hang', 3)],
    async run(target, client) {
      const controller = new AbortController();
      const stream = await target.stream(client, 'hi', { signal: controller.signal });
      let events = 0;
      for await (const _ of stream) {
        events++;
        controller.abort();
      }
      return events;
    },
  },
  {
    name: 'an abort by the controller of the stream',
    isNetworkOnly: true,
    replies: (target) => [target.streamReply('hang', 3)],
    async run(target, client) {
      const stream = await target.stream(client, 'hi');
      let events = 0;
      for await (const _ of stream) {
        events++;
        stream.controller.abort();
      }
      return events;
    },
  },
  {
    name: 'a connection cut in the middle of a stream',
    replies: (target) => [target.streamReply('destroy', 3)],
    isNetworkOnly: true,
    run: async (target, client) => collect(await target.stream(client, 'hi')),
  },
  {
    name: 'a body that breaks in the middle of a stream',
    replies: (target) => [target.streamReply('end', 3)],
    breaksWith: brokenBody,
    run: async (target, client) => collect(await target.stream(client, 'hi')),
  },
  {
    name: 'a body that breaks in the middle of a JSON answer',
    replies: (target) => [target.jsonReply],
    breaksWith: brokenBody,
    run: (target, client) => target.create(client, 'hi'),
  },
  {
    name: 'a stream that ends before its terminal event',
    replies: (target) => [target.streamReply('end', 3)],
    run: async (target, client) => collect(await target.stream(client, 'hi')),
  },
  {
    name: 'an error event in a stream',
    replies: (target) => {
      const { chunks, ...reply } = target.streamReply('end', 2);
      const data = JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } });
      return [{ ...reply, chunks: [...chunks, `event: error\ndata: ${data}\n\n`] }];
    },
    run: async (target, client) => collect(await target.stream(client, 'hi')),
  },
  {
    name: 'a stream that is never read',
    replies: (target) => [target.streamReply()],
    run: async (target, client) => typeof (await target.stream(client, 'hi')),
  },
  {
    name: 'a response that is never read',
    replies: (target) => [target.jsonReply],
    run: async (target, client) => responseFacts(await target.create(client, 'hi').asResponse()),
  },
  {
    name: 'a retry after status 500',
    replies: (target) => [errorReply(500), target.jsonReply],
    run: (target, client) => target.create(client, 'hi'),
  },
  {
    name: 'a retry after status 429',
    replies: (target) => [errorReply(429), target.streamReply()],
    run: async (target, client) => collect(await target.stream(client, 'hi')),
  },
  {
    name: 'retries that do not help',
    replies: () => [errorReply(503)],
    run: (target, client) => target.create(client, 'hi', { maxRetries: 1 }),
  },
  {
    name: 'a rejected request',
    replies: () => [errorReply(400)],
    run: (target, client) => target.create(client, 'hi'),
  },
  {
    name: 'an answer that is no JSON',
    replies: () => [{ headers: { 'content-type': 'application/json' }, chunks: ['{"id": "x", '] }],
    run: (target, client) => target.create(client, 'hi'),
  },
  {
    name: 'an empty answer with status 204',
    isNetworkOnly: true,
    replies: () => [{ status: 204, headers: {}, chunks: [] }],
    run: (target, client) => target.create(client, 'hi'),
  },
  {
    name: '100 concurrent calls',
    isHeavy: true,
    replies: (target) => [target.jsonReply],
    async run(target, client) {
      const calls = Array.from({ length: 100 }, (_, at) => target.create(client, `hi ${at}`));
      return Promise.all(calls);
    },
  },
];
