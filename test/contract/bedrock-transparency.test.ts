/**
 * As `transparency.test.ts`, for clients of Bedrock: every case runs with and without `observe` and must end the same, in
 * results, bytes and headers sent, errors, reads of the body, and rejections without an owner.
 */
import {
  type BedrockRuntime,
  type BedrockRuntimeClientConfig,
  ConverseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../../src/model-server/index.ts';
import { observeClient } from '../../src/observe/observe-client.ts';
import type { Recorder } from '../../src/observe/recorder.ts';
import { collect, type TransportCounts } from '../support/attempts.ts';
import {
  CONVERSE,
  CONVERSE_STREAM,
  converseInput,
  INVOKE,
  INVOKE_STREAM,
  newBedrockClient,
  OPERATIONS,
  TRANSPORTS,
} from '../support/bedrock.ts';
import { countingHandler } from '../support/counting-handler.ts';
import { hostileRecorder } from '../support/hostile-recorder.ts';
import { nextTurn, recordCalls } from '../support/recorded-calls.ts';

interface Case {
  readonly name: string;
  run(client: BedrockRuntime, server: ModelServer): Promise<unknown>;
  readonly maxAttempts?: number;
  /** Needs the timing of a real connection, which a transport with a finished body has not. */
  readonly isNetworkOnly?: boolean;
  readonly isNoModelCall?: boolean;
}

interface Observing {
  readonly recorder: Recorder;
  /** Where given, what was sent must have been opened as a call. */
  readonly opened?: readonly unknown[];
}

const CASES: readonly Case[] = [
  ...OPERATIONS.map((operation) => ({
    name: operation.name,
    run: (client: BedrockRuntime) => operation.call(client, 'hi'),
  })),
  {
    name: 'a method of the aggregated client with a callback',
    run: (client) =>
      new Promise((resolve, reject) => {
        const returned: unknown = client.converse(converseInput('hi'), (error: unknown, data?: unknown) =>
          error ? reject(error) : resolve({ data, returned }),
        );
      }),
  },
  { name: 'an early break', run: (client) => CONVERSE_STREAM.call(client, 'hi', { eventLimit: 2 }) },
  {
    name: 'a second iteration of one stream',
    async run(client) {
      const { stream = [] } = await client.send(new ConverseStreamCommand(converseInput('hi')));
      const first = await collect(stream as AsyncIterable<unknown>);
      return [first, await collect(stream as AsyncIterable<unknown>)];
    },
  },
  {
    name: 'an early break, and what destroy() does to its stream',
    isNetworkOnly: true,
    async run(client, server) {
      server.failNext({ kind: 'endless' });
      const result = await CONVERSE_STREAM.call(client, 'hi', { eventLimit: 2 });
      client.destroy();
      return result;
    },
  },
  {
    name: 'a stream that is never read',
    run: async (client) =>
      Object.keys(await client.send(new ConverseStreamCommand(converseInput('hi')))).sort(),
  },
  {
    name: 'an abort before there is a response',
    isNetworkOnly: true,
    async run(client, server) {
      server.failNext({ kind: 'endless' });
      const controller = new AbortController();
      const pending = CONVERSE.call(client, 'hi', { abortSignal: controller.signal });
      pending.catch(() => {});
      while (server.requests[0]?.cache === undefined) await nextTurn();
      controller.abort(new Error('the user left'));
      return pending;
    },
  },
  {
    name: 'a signal that is aborted already',
    run: (client) => CONVERSE.call(client, 'hi', { abortSignal: AbortSignal.abort() }),
  },
  {
    name: 'an abort in the middle of a stream',
    isNetworkOnly: true,
    async run(client, server) {
      server.failNext({ kind: 'endless' });
      const controller = new AbortController();
      let eventsSeen = 0;
      const onEvent = (): void => {
        eventsSeen++;
        if (eventsSeen === 2) controller.abort();
      };
      // How much was on its way by then depends on the moment.
      await CONVERSE_STREAM.call(client, 'hi', { abortSignal: controller.signal, onEvent });
      return 'ended in order';
    },
  },
  ...[CONVERSE_STREAM, INVOKE_STREAM].map((operation) => ({
    name: `an exception in the middle of ${operation.name}`,
    run(client: BedrockRuntime, server: ModelServer) {
      server.failNext({ kind: 'error-event', afterChunks: 2 });
      return operation.call(client, 'hi');
    },
  })),
  ...[CONVERSE, CONVERSE_STREAM, INVOKE].map((operation) => ({
    name: `a connection that is cut in the middle of ${operation.name}`,
    isNetworkOnly: true,
    run(client: BedrockRuntime, server: ModelServer) {
      server.failNext({ kind: 'drop', afterChunks: 2 });
      return operation.call(client, 'hi');
    },
  })),
  {
    name: 'a connection that is cut before the response',
    isNetworkOnly: true,
    run(client, server) {
      server.failNext({ kind: 'drop', afterChunks: 0 });
      return CONVERSE.call(client, 'hi');
    },
  },
  {
    name: 'a server that is not there',
    isNetworkOnly: true,
    async run(client, server) {
      await server.close();
      return CONVERSE.call(client, 'hi');
    },
  },
  {
    name: 'a rejected request',
    run(client, server) {
      server.failNext({ kind: 'status', status: 400, message: 'The model is unknown.' });
      return CONVERSE.call(client, 'hi');
    },
  },
  {
    name: 'a retry after status 503',
    maxAttempts: 3,
    run(client, server) {
      server.failNext({ kind: 'status', status: 503 }, 2);
      return CONVERSE_STREAM.call(client, 'hi');
    },
  },
  {
    name: 'retries that do not help',
    maxAttempts: 2,
    run(client, server) {
      server.failNext({ kind: 'status', status: 429 }, 2);
      return INVOKE.call(client, 'hi');
    },
  },
  {
    name: 'an operation that is no model call',
    isNoModelCall: true,
    run: (client) =>
      client.applyGuardrail({
        guardrailIdentifier: 'g',
        guardrailVersion: '1',
        source: 'INPUT',
        content: [{ text: { text: 'hi' } }],
      }),
  },
  {
    name: '100 concurrent calls',
    run: (client) =>
      Promise.all(Array.from({ length: 100 }, (_, at) => CONVERSE.call(client, `hi ${at}`))).then(
        (outputs) => outputs.length,
      ),
  },
];

const RECORDERS: readonly { readonly name: string; newRecorder(): Observing }[] = [
  { name: 'a recorder that works', newRecorder: () => recordCalls() },
  {
    name: 'an engine and a sink that throw at every step',
    newRecorder: () => ({ recorder: hostileRecorder() }),
  },
];

const BODY_KINDS = ['Node stream', 'web stream', 'bytes'] as const;

describe.each(RECORDERS)('observed by $name', ({ newRecorder }) => {
  for (const testCase of CASES) {
    for (const { name, newHandler } of TRANSPORTS) {
      it(`does not change ${testCase.name}, over ${name}`, async () => {
        await expectTransparent(testCase, newHandler, newRecorder());
      });
    }
    if (testCase.isNetworkOnly) continue;
    for (const kind of BODY_KINDS) {
      it(`does not change ${testCase.name}, over a transport of the user with bodies as a ${kind}`, async () => {
        await expectTransparent(testCase, (counts) => countingHandler(counts, kind), newRecorder());
      });
    }
  }

  for (const kind of ['Node stream', 'web stream'] as const) {
    for (const operation of OPERATIONS) {
      it(`hands the very error of a broken ${kind} to the caller of ${operation.name}`, async () => {
        const server = await startModelServer();
        const counts = { pulls: 0, cancels: 0 };
        const brokenBody = new Error('other side closed');
        const plain = newBedrockClient(server.url, countingHandler(counts, kind, brokenBody));
        const client = observeClient(plain, {}, () => newRecorder().recorder);
        const error = await operation.call(client, 'hi').catch((thrown: unknown) => thrown);
        await server.close();
        expect(error).toBe(brokenBody);
      });
    }
  }

  it('hands the very error of the transport to the caller', async () => {
    const transports = [
      (boom: Error) => Promise.reject(boom),
      (boom: Error) => {
        throw boom;
      },
    ];
    for (const fail of transports) {
      const boom = new TypeError('no way out');
      const handle = () => fail(boom);
      const plain = newBedrockClient('http://127.0.0.1:1', { handle } as never);
      const client = observeClient(plain, {}, () => newRecorder().recorder);
      await expect(CONVERSE.call(client, 'hi')).rejects.toBe(boom);
    }
  });
});

type NewHandler = (counts: TransportCounts) => BedrockRuntimeClientConfig['requestHandler'];

async function expectTransparent(
  testCase: Case,
  newHandler: NewHandler,
  { recorder, opened }: Observing,
): Promise<void> {
  const plain = await attempt(testCase, newHandler, (client) => client);
  const observed = await attempt(testCase, newHandler, (client) => observeClient(client, {}, () => recorder));
  expect(observed).toEqual(plain);
  expect(observed.unhandled).toEqual([]);
  if (opened !== undefined) expect(opened.length > 0).toBe(testCase.isNoModelCall !== true);
}

async function attempt(
  { run, maxAttempts = 1 }: Case,
  newHandler: NewHandler,
  wrap: (client: BedrockRuntime) => BedrockRuntime,
) {
  const server = await startModelServer();
  const counts: TransportCounts = { pulls: 0, cancels: 0 };
  const unhandled: string[] = [];
  const onUnhandled = (reason: unknown): void => {
    unhandled.push(String(reason));
  };
  process.on('unhandledRejection', onUnhandled);
  const plain = newBedrockClient(server.url, newHandler(counts), { maxAttempts });
  let value: unknown;
  let error: unknown;
  try {
    value = withoutChance(await run(wrap(plain), server));
  } catch (thrown) {
    error = errorFacts(thrown);
  }
  // Rejections without an owner are announced at the end of the turn in which they arise.
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  plain.destroy();
  await server.close();
  process.off('unhandledRejection', onUnhandled);
  return { value, error, sent: server.requests.map(sentFacts).sort(), counts, unhandled };
}

/** Signed anew each time, or named at random. */
const CHANGING_HEADERS = /^(:authority|host|authorization|x-amz-date|amz-sdk-invocation-id)$/;

function sentFacts({ method, path, headers, bodyText }: ModelServer['requests'][number]): string {
  const kept = Object.entries(headers).filter(([name]) => !CHANGING_HEADERS.test(name));
  return JSON.stringify({ method, path, bodyText, headers: kept });
}

/** Without ports, and the pause before a retry, which the SDK rolls for. */
function withoutChance(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (name, each) => (/totalRetryDelay|port$/i.test(name) ? 0 : each)),
  );
}

function errorFacts(thrown: unknown): unknown {
  const error = thrown as Error & Record<string, unknown>;
  const response = error.$response as { body?: object; statusCode?: number } | undefined;
  return {
    className: error.constructor.name,
    name: error.name,
    message: error.message.replaceAll(/127\.0\.0\.1:\d+/g, 'the server'),
    code: error.code,
    own: withoutChance({ ...error }),
    cause: error.cause instanceof Error ? errorFacts(error.cause) : error.cause,
    response: response && [response.constructor.name, response.statusCode, response.body?.constructor.name],
  };
}
