import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine.ts';
import { observeClient } from '../../src/observe/observe-client.ts';
import { createRecorder, type Recorder } from '../../src/observe/recorder.ts';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';
import { brokenBody } from '../support/api-replies.ts';
import { type Attempt, attempt, collect, countingTransport } from '../support/attempts.ts';
import { hostileRecorder } from '../support/hostile-recorder.ts';
import { recordCalls } from '../support/recorded-calls.ts';
import {
  type ReceivedRequest,
  type ScriptedServer,
  startScriptedServer,
} from '../support/scripted-server.ts';
import { helperCases } from '../support/sdk-helpers.ts';
import { SDK_TARGETS, type SdkClient, type SdkTarget } from '../support/sdk-targets.ts';
import { TRANSPARENCY_CASES, type TransparencyCase } from '../support/transparency-cases.ts';
import { useUnsampledSpan } from '../support/unsampled-span.ts';

/** The SDKs number their attempts; those of one call are one record. */
const RETRY = /^x-stainless-retry-count: [1-9]/i;

interface Observing {
  readonly recorder: Recorder;
  /** Where given, all that was sent must have been opened as a call, with the attempts that it took. */
  readonly opened?: readonly unknown[];
}

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

/** What listens on the other side: nothing of it may show. */
const RECORDERS: readonly { readonly name: string; newRecorder(): Observing }[] = [
  { name: 'a recorder that works', newRecorder: () => recordCalls() },
  {
    name: 'an engine and a sink that throw at every step',
    newRecorder: () => ({ recorder: hostileRecorder() }),
  },
  {
    name: 'an engine that cannot be loaded',
    newRecorder: () => ({
      recorder: createRecorder({
        engine: Promise.reject(new Error('no engine')),
        sink: createTelemetrySink({ store: false }),
      }),
    }),
  },
];

for (const target of SDK_TARGETS) {
  const cases = [...TRANSPARENCY_CASES, ...helperCases(target)];

  describe(target.name, () => {
    for (const { name: recorderName, newRecorder } of target.isBetween ? RECORDERS.slice(0, 1) : RECORDERS) {
      describe(`observed by ${recorderName}`, () => {
        for (const testCase of cases) {
          if (testCase.isHeavy && target.isBetween) continue;
          const lack = target.lacks[testCase.name];
          if (lack !== undefined) {
            it.skip(`does not change ${testCase.name}: ${lack}`);
            continue;
          }
          if (testCase.breaksWith === undefined) {
            it(`does not change ${testCase.name}, over the client's own fetch`, async () => {
              await expectTransparent(target, testCase, newRecorder());
            });
          }
          if (testCase.isNetworkOnly) continue;
          it(`does not change ${testCase.name}, over a transport of the user`, async () => {
            await expectTransparent(target, testCase, newRecorder(), true);
          });
        }
      });
    }
  });
}

it('leaves out no case but those that exist', () => {
  const names = new Set(
    SDK_TARGETS.flatMap((target) => [...TRANSPARENCY_CASES, ...helperCases(target)]).map(({ name }) => name),
  );
  const leftOut = SDK_TARGETS.flatMap(({ lacks }) => Object.keys(lacks));
  expect(leftOut.filter((name) => !names.has(name))).toEqual([]);
});

describe('inside a span that is not sampled', () => {
  const inUnsampledSpan = useUnsampledSpan();

  for (const target of SDK_TARGETS.filter(({ isBetween }) => !isBetween)) {
    for (const testCase of TRANSPARENCY_CASES) {
      if (testCase.breaksWith !== undefined || target.lacks[testCase.name] !== undefined) continue;
      it(`does not change ${testCase.name} of ${target.name}`, async () => {
        const recorder = createRecorder({
          engine: workingEngine(),
          sink: createTelemetrySink({ store: false }),
        });
        await inUnsampledSpan(() => expectTransparent(target, testCase, { recorder }));
      });
    }
  }
});

describe('errors', () => {
  for (const target of SDK_TARGETS) {
    it(`hands the very error of the transport to the caller of ${target.name}`, async () => {
      const boom = new TypeError('fetch failed');
      const client = observe(
        target.newClient(server.url, async () => {
          throw boom;
        }),
      );
      const error = await target.create(client, 'hi', { maxRetries: 0 }).catch((thrown: unknown) => thrown);
      expect((error as Error).cause).toBe(boom);
    });

    it(`hands the very error of a broken body to the reader of ${target.name}`, async () => {
      server.script([target.streamReply('end', 3)]);
      const client = observe(
        target.newClient(server.url, countingTransport({ pulls: 0, cancels: 0 }, brokenBody)),
      );
      const stream = await target.stream(client, 'hi');
      const error = await collect(stream).catch((thrown: unknown) => thrown);
      expect(error).toBe(brokenBody);
    });
  }
});

async function expectTransparent(
  target: SdkTarget,
  testCase: TransparencyCase,
  { recorder, opened }: Observing,
  hasOwnTransport = false,
): Promise<void> {
  const runWith = (wrap: (client: SdkClient) => SdkClient): Promise<Attempt> => {
    const counts = { pulls: 0, cancels: 0 };
    const transport = hasOwnTransport ? countingTransport(counts, testCase.breaksWith) : undefined;
    const client = wrap(target.newClient(server.url, transport));
    return attempt(server, testCase.replies(target), counts, () => testCase.run(target, client, requested));
  };
  const plain = await runWith((client) => client);
  const observed = await runWith((client) => observeClient(client, {}, () => recorder));
  expect(inOrder(observed)).toEqual(inOrder(plain));
  expect(observed.unhandledRejections).toEqual([]);
  if (opened === undefined) return;
  const isFirst = ({ headers }: ReceivedRequest) => !headers.some((header) => RETRY.test(header));
  const calls = observed.received.filter(isFirst);
  expect(opened).toHaveLength(calls.length);
}

/** Concurrent requests arrive in any order. */
function inOrder(result: Attempt): Attempt {
  return { ...result, received: [...result.received].sort((a, b) => a.body.localeCompare(b.body)) };
}

function observe(client: SdkClient): SdkClient {
  const { recorder } = recordCalls();
  return observeClient(client, {}, () => recorder);
}

async function requested(count: number): Promise<void> {
  while (server.received.length < count) await new Promise((resolve) => setImmediate(resolve));
}

function workingEngine(): Engine {
  return { start: () => ({ finish: () => ({ unreadable: 'fake engine' }), abandon: () => {} }) };
}
