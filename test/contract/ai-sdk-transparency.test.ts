import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observeClient } from '../../src/observe/observe-client.ts';
import { createRecorder, type Recorder } from '../../src/observe/recorder.ts';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';
import {
  AI_SDK_TARGETS,
  type AiSdkTarget,
  type Fetch,
  GOOGLE_TARGET,
  type Model,
} from '../support/ai-sdk-targets.ts';
import { API_REPLIES, type ApiReplies, brokenBody, errorReply } from '../support/api-replies.ts';
import { type Attempt, attempt, countingTransport } from '../support/attempts.ts';
import { hostileRecorder } from '../support/hostile-recorder.ts';
import { recordCalls } from '../support/recorded-calls.ts';
import { type ScriptedReply, type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts';
import { useUnsampledSpan } from '../support/unsampled-span.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

interface Host {
  readonly sdk: AiSdkTarget['sdk'];
  readonly model: Model;
  /** Waits until the server was sent a number of requests. */
  requested(count: number): Promise<void>;
}

interface Case {
  readonly name: string;
  replies(replies: ApiReplies): readonly ScriptedReply[];
  run(host: Host): Promise<unknown>;
  /** Needs the timing of a real connection, which a transport with a finished body has not. */
  readonly isNetworkOnly?: boolean;
  /** Takes long: not with every recorder. */
  readonly isLong?: boolean;
  /** Breaks the body after its last piece. */
  readonly breaksWith?: Error;
}

const CASES: readonly Case[] = [
  {
    name: 'generateText',
    replies: ({ json }) => [json],
    run: async ({ sdk, model }) => generated(await sdk.generateText({ model, prompt: 'Hi' })),
  },
  {
    name: '100 concurrent calls',
    isLong: true,
    replies: ({ json }) => [json],
    run: async ({ sdk, model }) => {
      const calls = Array.from({ length: 100 }, (_, at) => sdk.generateText({ model, prompt: `Hi ${at}` }));
      return (await Promise.all(calls)).map(generated);
    },
  },
  { name: 'a stream read to its end', replies: ({ stream }) => [stream()], run: (host) => streamed(host) },
  {
    name: 'a stream left by a break',
    replies: ({ stream }) => [stream()],
    run: (host) => streamed(host, { limit: 2 }),
  },
  {
    name: 'a stream left by a break while the server keeps it open',
    isNetworkOnly: true,
    replies: ({ stream }) => [stream('hang', 6)],
    run: (host) => streamed(host, { limit: 2 }),
  },
  {
    name: 'a stream that is never read',
    replies: ({ stream }) => [stream()],
    async run({ sdk, model, requested }) {
      const { textStream } = sdk.streamText({ model, prompt: 'Hi', onError: () => {} });
      await requested(1);
      return typeof textStream;
    },
  },
  {
    name: 'an abort before there is a response',
    isNetworkOnly: true,
    replies: () => [{ chunks: [], afterwards: 'hang' }],
    async run({ sdk, model, requested }) {
      const abort = new AbortController();
      const pending = sdk.generateText({ model, prompt: 'Hi', abortSignal: abort.signal });
      pending.catch(() => {});
      await requested(1);
      abort.abort();
      return pending;
    },
  },
  {
    name: 'an abort with a reason of its own',
    isNetworkOnly: true,
    replies: () => [{ chunks: [], afterwards: 'hang' }],
    async run({ sdk, model, requested }) {
      const abort = new AbortController();
      const pending = sdk.generateText({ model, prompt: 'Hi', maxRetries: 0, abortSignal: abort.signal });
      pending.catch(() => {});
      await requested(1);
      abort.abort(new RangeError('too slow'));
      return pending;
    },
  },
  {
    name: 'an abort in the middle of a stream',
    isNetworkOnly: true,
    replies: ({ stream }) => [stream('hang', 6)],
    run(host) {
      const abort = new AbortController();
      return streamed(host, { abortSignal: abort.signal, onText: () => abort.abort() });
    },
  },
  {
    name: 'a connection cut in the middle of a stream',
    isNetworkOnly: true,
    replies: ({ stream }) => [stream('destroy', 6)],
    run: (host) => streamed(host),
  },
  {
    name: 'a body that breaks in the middle of a stream',
    replies: ({ stream }) => [stream('end', 6)],
    breaksWith: brokenBody,
    run: (host) => streamed(host),
  },
  {
    name: 'a body that breaks in the middle of a JSON answer',
    replies: ({ json }) => [json],
    breaksWith: brokenBody,
    run: async ({ sdk, model }) => generated(await sdk.generateText({ model, prompt: 'Hi', maxRetries: 0 })),
  },
  {
    name: 'a stream that ends before its terminal event',
    replies: ({ stream }) => [stream('end', 4)],
    run: (host) => streamed(host),
  },
  {
    name: 'an error event in a stream',
    replies: ({ stream }) => {
      const { chunks, ...reply } = stream('end', 2);
      const data = JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } });
      return [{ ...reply, chunks: [...chunks, `event: error\ndata: ${data}\n\n`] }];
    },
    run: (host) => streamed(host),
  },
  {
    name: 'a retry after status 500',
    replies: ({ json }) => [errorReply(500), json],
    run: async ({ sdk, model }) => generated(await sdk.generateText({ model, prompt: 'Hi' })),
  },
  {
    name: 'a retry of a stream after status 429',
    replies: ({ stream }) => [errorReply(429), stream()],
    run: (host) => streamed(host),
  },
  {
    name: 'retries that do not help',
    replies: () => [errorReply(503)],
    run: ({ sdk, model }) => sdk.generateText({ model, prompt: 'Hi', maxRetries: 1 }),
  },
  {
    name: 'a request that is refused',
    replies: () => [errorReply(400)],
    run: ({ sdk, model }) => sdk.generateText({ model, prompt: 'Hi' }),
  },
  {
    name: 'an answer that is no JSON',
    replies: () => [{ headers: { 'content-type': 'application/json' }, chunks: ['{"id": "x", '] }],
    run: ({ sdk, model }) => sdk.generateText({ model, prompt: 'Hi', maxRetries: 0 }),
  },
];

/** What listens on the other side: nothing of it may show. */
const RECORDERS: readonly { readonly name: string; newRecorder(): Recorder }[] = [
  { name: 'a recorder that works', newRecorder: () => recordCalls().recorder },
  { name: 'an engine and a sink that throw at every step', newRecorder: hostileRecorder },
  { name: 'a recorder that cannot even tell the time', newRecorder: brokenRecorder },
];

/** Models are observed by their transport where they show it, else by their results. */
const WAYS = [
  { name: 'by its transport', newModel: modelOf },
  {
    name: 'by its results',
    newModel: (target: AiSdkTarget, fetch?: Fetch) =>
      target.sdk.wrapLanguageModel({ model: modelOf(target, fetch) as never, middleware: {} }) as Model,
  },
] as const;

for (const target of [...AI_SDK_TARGETS, GOOGLE_TARGET]) {
  for (const way of WAYS) {
    describe(`${target.name}, observed ${way.name}`, () => {
      for (const { name: recorderName, newRecorder } of RECORDERS) {
        // One version will do: what it throws at is ours.
        if (newRecorder === brokenRecorder && target.version !== 7) continue;
        describe(`with ${recorderName}`, () => {
          for (const testCase of CASES) {
            if (testCase.isLong && newRecorder !== hostileRecorder) continue;
            if (testCase.breaksWith === undefined) {
              it(`does not change ${testCase.name}, over the global fetch`, async () => {
                await expectTransparent(target, way, testCase, newRecorder());
              });
            }
            if (testCase.isNetworkOnly) continue;
            it(`does not change ${testCase.name}, over a transport of the user`, async () => {
              await expectTransparent(target, way, testCase, newRecorder(), true);
            });
          }
        });
      }
    });
  }
}

describe('inside a span that is not sampled', () => {
  const inUnsampledSpan = useUnsampledSpan();

  for (const target of AI_SDK_TARGETS) {
    for (const way of WAYS) {
      it(`does not change any call of ${target.name}, observed ${way.name}`, async () => {
        const recorder = createRecorder({
          engine: { start: () => ({ finish: () => ({ unreadable: 'fake engine' }), abandon: () => {} }) },
          sink: createTelemetrySink({ store: false }),
        });
        for (const testCase of CASES.filter(({ breaksWith, isLong }) => !breaksWith && !isLong)) {
          await inUnsampledSpan(() => expectTransparent(target, way, testCase, recorder));
        }
      });
    }
  }
});

function modelOf(target: AiSdkTarget, fetch?: Fetch): Model {
  return target.model(target.newProvider(server.url, fetch));
}

async function expectTransparent(
  target: AiSdkTarget,
  way: (typeof WAYS)[number],
  testCase: Case,
  recorder: Recorder,
  hasOwnTransport = false,
): Promise<void> {
  const runWith = (observe: (model: Model) => Model): Promise<Attempt> => {
    const counts = { pulls: 0, cancels: 0 };
    const transport = hasOwnTransport ? countingTransport(counts, testCase.breaksWith) : undefined;
    const model = observe(way.newModel(target, transport));
    const host: Host = { sdk: target.sdk, model, requested };
    return attempt(server, testCase.replies(API_REPLIES[target.api]), counts, () =>
      testCase.run(host).catch((error: unknown) => failure(error)),
    );
  };
  const plain = await runWith((model) => model);
  const observed = await runWith((model) => observeClient(model as object, {}, () => recorder) as Model);
  expect(inOrder(observed)).toEqual(inOrder(plain));
  expect(observed.unhandledRejections).toEqual([]);
}

/** Concurrent requests arrive in any order. */
function inOrder(result: Attempt): Attempt {
  return { ...result, received: [...result.received].sort((a, b) => a.body.localeCompare(b.body)) };
}

async function requested(count: number): Promise<void> {
  while (server.received.length < count) await new Promise((resolve) => setImmediate(resolve));
}

/** What a host reads of a result, without the ids and times that the SDK makes up. */
// biome-ignore lint/suspicious/noExplicitAny: one reader for the results of three versions
function generated(result: any): unknown {
  const { text, finishReason, usage, warnings, toolCalls, providerMetadata, request, response } = result;
  const { id, modelId, headers, body } = response;
  const { date: _, ...stableHeaders } = headers ?? {};
  return {
    text,
    finishReason,
    usage,
    warnings,
    toolCalls,
    providerMetadata,
    request,
    id,
    modelId,
    stableHeaders,
    body,
  };
}

interface Reading {
  readonly limit?: number;
  readonly abortSignal?: AbortSignal;
  readonly onText?: () => void;
}

/** All parts of a stream, and what the promises beside it come to. */
async function streamed({ sdk, model }: Host, reading: Reading = {}): Promise<unknown> {
  const { limit = Number.POSITIVE_INFINITY, abortSignal, onText } = reading;
  const reported: unknown[] = [];
  const result = sdk.streamText({
    model,
    prompt: 'Hi',
    ...(abortSignal && { abortSignal }),
    onError: ({ error }) => {
      reported.push(failure(error));
    },
  });
  const parts: unknown[] = [];
  let texts = 0;
  for await (const part of result.fullStream) {
    parts.push([part.type, Reflect.get(part, 'text'), failure(Reflect.get(part, 'error'))]);
    if (part.type !== 'text-delta') continue;
    texts++;
    onText?.();
    if (texts >= limit) return { parts, reported };
  }
  const outcome = await Promise.all([result.finishReason, result.usage, result.providerMetadata]).catch(
    failure,
  );
  return { parts, reported, outcome };
}

/** All that an error shows of itself. */
function failure(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const shown: Record<string, unknown> = {
    className: error.constructor.name,
    name: error.name,
    message: error.message,
  };
  for (const name of [
    'statusCode',
    'isRetryable',
    'responseBody',
    'requestBodyValues',
    'data',
    'code',
    'reason',
  ]) {
    shown[name] = Reflect.get(error, name);
  }
  const errors: unknown = Reflect.get(error, 'errors');
  return {
    ...shown,
    errors: Array.isArray(errors) ? errors.map(failure) : undefined,
    cause: error.cause === undefined ? undefined : failure(error.cause),
  };
}

function fail(): never {
  throw new Error('not the business of the host');
}

function brokenRecorder(): Recorder {
  return { ...recordCalls().recorder, now: fail, open: fail };
}
