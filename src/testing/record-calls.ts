/**
 * Records the calls of a test: the hooks and the engine of live recording, and nothing else. Each recorder is a world of its
 * own: no store, no spans, no state shared with another test.
 */
import type { CallSink } from '../call-sink.ts';
import { createEngine } from '../diagnose.ts';
import { type ObserveOptions, observeClient } from '../observe/observe-client.ts';
import { observeFetchWith } from '../observe/observe-fetch.ts';
import { createRecorder } from '../observe/recorder.ts';
import { type CallCollection, collectCalls } from './call-collection.ts';
import { type CallInput, exchangeOf, type RecordedCall, refuseSharedLists } from './recorded-call.ts';

export interface CallRecorder {
  /** A copy of a client whose calls are recorded here; see `observe`. */
  observe<Client extends object>(client: Client, options?: ObserveOptions): Client;
  /** A `fetch` whose model calls are recorded here; give it a fake one to stay off the network. */
  fetch(fetch?: typeof globalThis.fetch): typeof globalThis.fetch;
  /** All calls that have ended, in the order in which they began. */
  calls(): Promise<RecordedCall[]>;
}

/**
 * @example
 * const recorder = recordCalls();
 * await runAgent(new Anthropic({ apiKey: 'none', fetch: recorder.fetch(fakeFetch) }));
 * expect(await recorder.calls()).toKeepPrefix();
 */
export function recordCalls(): CallRecorder {
  const loading = createCollection();
  const recorder = createRecorder({ engine: loading.then(({ engine }) => engine), sink: NOWHERE });
  return {
    observe: (client, options = {}) => observeClient(client, options, () => recorder),
    fetch: (fetch = globalThis.fetch) => observeFetchWith(fetch, () => recorder),
    async calls() {
      await recorder.flush();
      return (await loading).calls();
    },
  };
}

/**
 * Calls made of request bodies, in their order, without sending any.
 *
 * @example
 * expect(await callsFrom(fake.mock.calls.map(([body]) => body))).toHaveNoCacheFindings();
 */
export async function callsFrom(inputs: readonly CallInput[]): Promise<RecordedCall[]> {
  refuseSharedLists(inputs);
  const { engine, calls } = await createCollection();
  for (const exchange of inputs.map(exchangeOf)) engine.start(exchange).finish(exchange.response);
  return calls();
}

async function createCollection(): Promise<CallCollection> {
  return collectCalls(await createEngine());
}

const NOWHERE: CallSink = {
  open: () => ({ end() {} }),
  async flush() {},
  async shutdown() {},
};
