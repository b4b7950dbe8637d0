/**
 * The host must not be able to tell whether a chat model of LangChain is observed: every case runs with and without
 * `observe` and must end the same, in results, bytes and headers sent, errors, and rejections without an owner.
 *
 * ChatBedrockConverse is not here: its requests are signed by the second, and the suite of its client compares those.
 */
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { HumanMessage } from '@langchain/core/messages';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observeClient } from '../../src/observe/observe-client.ts';
import type { Recorder } from '../../src/observe/recorder.ts';
import { API_REPLIES, type ApiReplies, errorReply } from '../support/api-replies.ts';
import { type Attempt, attempt } from '../support/attempts.ts';
import { hostileRecorder } from '../support/hostile-recorder.ts';
import { LANGCHAIN_TARGETS, type LangChainTarget } from '../support/langchain-targets.ts';
import { recordCalls } from '../support/recorded-calls.ts';
import { type ScriptedReply, type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

const TOOLS = [
  {
    type: 'function',
    function: { name: 'lookUp', description: 'Looks up.', parameters: { type: 'object', properties: {} } },
  },
];

interface Case {
  readonly name: string;
  readonly maxRetries?: number;
  replies(replies: ApiReplies): readonly ScriptedReply[];
  /** `requested` waits until the server was sent a number of requests. */
  run(model: BaseChatModel, requested: (count: number) => Promise<void>): Promise<unknown>;
}

const CASES: readonly Case[] = [
  { name: 'invoke', replies: ({ json }) => [json], run: (model) => model.invoke('Hi') },
  {
    name: 'invoke with tools',
    replies: ({ json }) => [json],
    run: async (model) => model.bindTools?.(TOOLS).invoke([new HumanMessage('Hi')]),
  },
  {
    name: 'batch',
    replies: ({ json }) => [json],
    run: (model) => model.batch(['Hi', 'Ho'], { maxConcurrency: 1 }),
  },
  {
    name: '100 concurrent calls',
    replies: ({ json }) => [json],
    run: (model) => Promise.all(Array.from({ length: 100 }, (_, at) => model.invoke(`Hi ${at}`))),
  },
  { name: 'a stream read to its end', replies: ({ stream }) => [stream()], run: (model) => streamed(model) },
  {
    name: 'streamed events',
    replies: ({ stream }) => [stream()],
    async run(model) {
      const names: string[] = [];
      for await (const { event } of model.streamEvents('Hi', { version: 'v2' })) names.push(event);
      return names;
    },
  },
  {
    name: 'a stream left by a break while the server keeps it open',
    replies: ({ stream }) => [stream('hang', 5)],
    run: (model) => streamed(model, { limit: 2 }),
  },
  {
    name: 'a stream that is never read',
    replies: ({ stream }) => [stream()],
    run: async (model) => typeof (await model.stream('Hi')),
  },
  {
    name: 'an abort before there is a response',
    replies: () => [{ chunks: [], afterwards: 'hang' }],
    async run(model, requested) {
      const abort = new AbortController();
      const pending = model.invoke('Hi', { signal: abort.signal });
      pending.catch(() => {});
      await requested(1);
      abort.abort();
      return pending;
    },
  },
  {
    name: 'an abort in the middle of a stream',
    replies: ({ stream }) => [stream('hang', 5)],
    run(model) {
      const abort = new AbortController();
      return streamed(model, { signal: abort.signal, onChunk: () => abort.abort() });
    },
  },
  {
    name: 'a connection cut in the middle of a stream',
    replies: ({ stream }) => [stream('destroy', 5)],
    run: (model) => streamed(model),
  },
  {
    name: 'a stream that ends before its terminal event',
    replies: ({ stream }) => [stream('end', 4)],
    run: (model) => streamed(model),
  },
  {
    name: 'an error event in a stream',
    replies: ({ stream }) => {
      const { chunks, ...reply } = stream('end', 2);
      const data = JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } });
      return [{ ...reply, chunks: [...chunks, `event: error\ndata: ${data}\n\n`] }];
    },
    run: (model) => streamed(model),
  },
  {
    name: 'a retry after status 500',
    maxRetries: 1,
    replies: ({ json }) => [errorReply(500), json],
    run: (model) => model.invoke('Hi'),
  },
  { name: 'a failure', replies: () => [errorReply(503)], run: (model) => model.invoke('Hi') },
  { name: 'a request that is refused', replies: () => [errorReply(400)], run: (model) => model.invoke('Hi') },
  {
    name: 'an answer that is no JSON',
    replies: () => [{ headers: { 'content-type': 'application/json' }, chunks: ['{"id": "x", '] }],
    run: (model) => model.invoke('Hi'),
  },
];

const RECORDERS: readonly { readonly name: string; newRecorder(): Recorder }[] = [
  { name: 'a recorder that works', newRecorder: () => recordCalls().recorder },
  { name: 'an engine and a sink that throw at every step', newRecorder: hostileRecorder },
];

const repliesOf: Partial<Record<LangChainTarget['api'], ApiReplies>> = API_REPLIES;

for (const target of LANGCHAIN_TARGETS) {
  const replies = repliesOf[target.api];
  if (replies === undefined) continue;
  for (const { name: recorderName, newRecorder } of RECORDERS) {
    describe(`${target.name}, observed by ${recorderName}`, () => {
      for (const testCase of CASES) {
        it(`does not change ${testCase.name}`, async () => {
          const recorder = newRecorder();
          const runWith = (observe: (model: BaseChatModel) => BaseChatModel): Promise<Attempt> => {
            const { maxRetries = 0 } = testCase;
            const model = observe(target.newModel(server.url, { maxRetries }));
            return attempt(server, testCase.replies(replies), { pulls: 0, cancels: 0 }, async () =>
              testCase.run(model, requested).then(shown, failure),
            );
          };
          const plain = await runWith((model) => model);
          const observed = await runWith((model) => observeClient(model, {}, () => recorder));
          expect(inOrder(observed)).toEqual(inOrder(plain));
          expect(observed.unhandledRejections).toEqual([]);
        });
      }
    });
  }
}

/** Concurrent requests arrive in any order. */
function inOrder(result: Attempt): Attempt {
  return { ...result, received: [...result.received].sort((a, b) => a.body.localeCompare(b.body)) };
}

async function requested(count: number): Promise<void> {
  while (server.received.length < count) await new Promise((resolve) => setImmediate(resolve));
}

interface Reading {
  readonly limit?: number;
  readonly signal?: AbortSignal;
  readonly onChunk?: () => void;
}

async function streamed(model: BaseChatModel, reading: Reading = {}): Promise<unknown> {
  const { limit = Number.POSITIVE_INFINITY, signal, onChunk } = reading;
  const chunks: unknown[] = [];
  try {
    for await (const chunk of await model.stream('Hi', { ...(signal && { signal }) })) {
      chunks.push(chunk);
      onChunk?.();
      if (chunks.length >= limit) break;
    }
  } catch (error) {
    chunks.push(failure(error));
  }
  return chunks;
}

/** Messages as LangChain writes them down, without the ids of runs that it makes up. */
function shown(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (_, each) => each),
    (name, each) =>
      typeof each === 'string' && (each.startsWith('run-') || name === 'date') ? undefined : each,
  );
}

/** All that an error shows of itself. */
function failure(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, cause } = error;
  const facts = ['status', 'code', 'type', 'lc_error_code', 'error'].map((each) => Reflect.get(error, each));
  return { className: error.constructor.name, name, message, facts, cause: cause && failure(cause) };
}
