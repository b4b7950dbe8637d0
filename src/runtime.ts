/**
 * The live composition: one recorder per process, made when something is first observed.
 *
 * Invariant: importing this loads no tokenizer, no price table and no exporter. The engine is loaded behind the first
 * `observe`, while the host goes on; calls made meanwhile wait in order.
 */
import { keyAccountsWith } from './account.ts';
import type { CallSink } from './call-sink.ts';
import type { EngineOptions } from './diagnose.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { Engine } from './engine.ts';
import type { Exchange } from './exchange.ts';
import { report } from './guard.ts';
import { type ObserveOptions, observeClient } from './observe/observe-client.ts';
import { observeFetchWith } from './observe/observe-fetch.ts';
import { createRecorder, type Recorder } from './observe/recorder.ts';
import { SwitchableSink } from './switchable-sink.ts';
import { isDisabled } from './switches.ts';
import { createTelemetrySink } from './telemetry/sink.ts';
import type { TokenCounter } from './tokens/counter.ts';

const defaultSink = new SwitchableSink(() => createTelemetrySink());
let installed: Recorder | undefined;
let tokenCounter: TokenCounter | undefined;
let engineOptions: Pick<EngineOptions, 'heads' | 'headLimits'> = {};
let isEngineMade = false;

/**
 * Observes a client: returns a copy of it whose model calls are recorded. The argument is not changed; observing twice
 * observes once. Observe first, then apply other wrappers: what they changed on the client itself is not copied.
 *
 * @example
 * const client = observe(new Anthropic());
 */
export function observe<Client extends object>(client: Client, options: ObserveOptions = {}): Client {
  const observed = observeClient(client, options, currentRecorder);
  warmUp();
  return observed;
}

/**
 * A `fetch` whose model calls are recorded; everything else passes untouched.
 *
 * @example
 * const anthropic = createAnthropic({ fetch: observeFetch() });
 */
export function observeFetch(fetch: typeof globalThis.fetch = globalThis.fetch): typeof globalThis.fetch {
  const observed = observeFetchWith(fetch, currentRecorder);
  warmUp();
  return observed;
}

/**
 * Diagnoses recorded exchanges, in their order, with the pipeline that the live hooks use.
 *
 * @example
 * const findings = (await diagnose(exchanges)).filter((call) => call.finding);
 */
export async function diagnose(
  exchanges: Iterable<Exchange> | AsyncIterable<Exchange>,
  options: EngineOptions = {},
): Promise<Diagnosis[]> {
  const pipeline = await import('./diagnose.ts');
  return pipeline.diagnose(exchanges, options);
}

/** Resolves when all calls that have ended are delivered. Await it before a process or a serverless run stops. */
export async function flush(): Promise<void> {
  await (installed ?? defaultSink).flush();
}

/** Delivers what is there and stops recording for good; observed clients go on working. */
export async function shutdown(): Promise<void> {
  await (installed ?? defaultSink).shutdown();
  await tokenCounter?.close();
}

function currentRecorder(): Recorder {
  installed ??= liveRecorder();
  return installed;
}

/** Where calls go from now on, also those of clients that were observed before. */
export function installSink(sink: CallSink): void {
  defaultSink.switchTo(sink);
}

/** What the engine is made with. In time as long as the first observed client has not yielded to the event loop. */
export function installEngineOptions(options: Pick<EngineOptions, 'heads' | 'headLimits'>): void {
  if (isEngineMade)
    report('options of the engine came after the first observed client, and are not used', {});
  engineOptions = options;
  if (options.heads?.accountKey) keyAccountsWith(options.heads.accountKey);
}

/** A recorder as the hooks have it, for another sink. Install it, so that `shutdown` closes what belongs to it. */
export function liveRecorder(sink: CallSink = preparedSink()): Recorder {
  return createRecorder({ engine: loadEngine(), sink });
}

function preparedSink(): CallSink {
  defaultSink.prepare();
  return defaultSink;
}

/** Replaces the recorder, for clients that are observed already as well. */
export function installRecorder(recorder: Recorder): void {
  installed = recorder;
}

/** Loads the engine before the first call instead of during it. */
function warmUp(): void {
  if (!isDisabled()) currentRecorder();
}

async function loadEngine(): Promise<Engine> {
  const [{ createEngine }, { createTokenCounter }] = await Promise.all([
    import('./diagnose.ts'),
    import('./tokens/counter.ts'),
  ]);
  tokenCounter = createTokenCounter();
  isEngineMade = true;
  return createEngine({ ...engineOptions, tokenCounter });
}
