/**
 * Set-up in one call: where diagnosed calls go, and that they arrive. The composition point of runtime, telemetry, store and
 * OpenTelemetry's SDK.
 *
 * Three cases. The application has a tracer provider: ours go through it, and nothing is registered. It has none and the
 * standard variables name an exporter: `NodeSDK` is started. Else: the local store. Set-up never throws; what does not
 * work is said through `diag`, and the local store takes its place.
 */
import { guard } from '../guard.ts';
import type { HeadLimits } from '../lineage/heads.ts';
import type { HeadStore } from '../lineage/shared/head-store.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { flush, installEngineOptions, installSink, shutdown } from '../runtime.ts';
import type { OpenStoreOptions } from '../store/open-store.ts';
import { isDisabled } from '../switches.ts';
import { applicationTracer } from '../telemetry/application-tracer.ts';
import { createStoreSink, createTelemetrySink, type TelemetrySinkOptions } from '../telemetry/sink.ts';
import { bothSinks } from './both-sinks.ts';
import { type ExportPlan, exportPlan } from './export-plan.ts';
import { loadNodeSdk, startNodeSdk } from './exporting-sdk.ts';
import { SdkSink } from './sdk-sink.ts';

export interface PrefixtraceOptions extends Omit<TelemetrySinkOptions, 'store'> {
  /** @default `OTEL_SERVICE_NAME` */
  readonly serviceName?: string | undefined;
  /**
   * The local store: `true` or its options write it besides exporting, `false` never.
   *
   * @default `PREFIXTRACE_STORE` (`1` or `0`), else only where nothing is exported
   */
  readonly store?: boolean | Omit<OpenStoreOptions, 'serviceName'> | undefined;
  /** Heads that several instances share, so that the next call of a conversation may reach another one; see `prefixtrace/redis`. */
  readonly heads?: HeadStore | undefined;
  /**
   * How much of live conversations is kept in memory. Beyond `promptBytes` those that were used the longest ago are read anew in
   * whole at their next call, and a change in them is told to the message instead of the byte.
   *
   * @default 64 heads a scope, 10,000 in all, 40 MiB of prompts, 40 MiB of hashes
   */
  readonly headLimits?: Partial<HeadLimits> | undefined;
}

export interface Prefixtrace {
  /** Resolves when all calls that have ended are exported or on disk. Await it before `process.exit()` or the end of a serverless run. */
  flush(): Promise<void>;
  /** Delivers what is there and stops recording for good. */
  shutdown(): Promise<void>;
}

const HANDLE: Prefixtrace = { flush, shutdown };
let isStarted = false;

/**
 * Call it once, at the start, after an OpenTelemetry set-up of your own if there is one. A second call changes nothing.
 *
 * @example
 * startPrefixtrace({ serviceName: 'planner' });
 * const client = observe(new Anthropic());
 */
export function startPrefixtrace(options: PrefixtraceOptions = {}): Prefixtrace {
  return start(options, 'now');
}

/**
 * As `startPrefixtrace`, before any code of the application ran: whether it has a tracer provider of its own is asked at
 * its first model call.
 */
export function startBeforeApplication(): Prefixtrace {
  return start({}, 'at first call');
}

function start(options: PrefixtraceOptions, when: 'now' | 'at first call'): Prefixtrace {
  if (isStarted || isDisabled()) return HANDLE;
  isStarted = true;
  guard('set-up failed, calls go where they would go without it', () => {
    if (options.heads || options.headLimits) installEngineOptions(options);
    const plan = exportPlan();
    const sink = sinkFor(options);
    const module = isWanted(plan, options)
      ? guard('the OpenTelemetry SDK could not be loaded, nothing is exported', loadNodeSdk)
      : undefined;
    if (module === undefined) return installSink(sink);
    const startSdk = () =>
      isWanted(plan, options) ? startNodeSdk(module, plan, options.serviceName) : undefined;
    const sdkSink = new SdkSink(sink, startSdk, flush);
    if (when === 'now') sdkSink.startSdk();
    installSink(sdkSink);
  });
  return HANDLE;
}

/** An application that has its own tracing has decided about metrics as well. */
function isWanted(plan: ExportPlan, { tracerProvider }: PrefixtraceOptions): boolean {
  return (plan.traces || plan.metrics) && tracerProvider === undefined && applicationTracer() === undefined;
}

function sinkFor({
  serviceName,
  heads: _heads,
  store = storeFromEnvironment(),
  ...sinkOptions
}: PrefixtraceOptions) {
  const storeOptions = { serviceName, ...(typeof store === 'object' ? store : {}) };
  if (store === false) return createTelemetrySink({ ...sinkOptions, store: false });
  if (store === undefined) return createTelemetrySink({ ...sinkOptions, store: storeOptions });
  // The same text has the same id in the store and in the backend.
  const prefixKey = sinkOptions.prefixKey ?? nodeCrypto().randomBytes(32);
  const exporting = createTelemetrySink({ ...sinkOptions, prefixKey, store: false });
  // Each call is counted and told to the application once.
  const silent = { metrics: false as const, onDivergence: undefined };
  return bothSinks(exporting, createStoreSink({ ...sinkOptions, ...silent, prefixKey, store: storeOptions }));
}

function storeFromEnvironment(): boolean | undefined {
  const value = process.env.PREFIXTRACE_STORE?.trim().toLowerCase();
  if (value === '1' || value === 'true') return true;
  return value === '0' || value === 'false' ? false : undefined;
}
