/**
 * The local store, ready to be written: a tracer provider of its own that is never registered globally, so that the
 * spans of others do not end up here and ours do not end up elsewhere.
 *
 * Only light parts are imported; the SDK is handed in (`sdk.ts` loads it).
 */
import type { TracerProvider } from '@opentelemetry/api';
import { BatchProcessor } from './batch-processor.ts';
import { storeDirectory } from './directory.ts';
import { StoreSpanExporter } from './exporter.ts';
import { resourceAttributes } from './resource.ts';
import { loadSdkSync, type StoreSdk } from './sdk.ts';
import { StoreWriter, type StoreWriterOptions } from './writer.ts';

export { atExit } from '../at-exit.ts';
export { loadSdk, loadSdkSync } from './sdk.ts';

export interface OpenStoreOptions extends Omit<StoreWriterOptions, 'directory'> {
  /** @default `PREFIXTRACE_DIR`, else `.prefixtrace` of the working directory */
  readonly directory?: string | undefined;
  /** @default `OTEL_SERVICE_NAME`, else the name in `package.json` */
  readonly serviceName?: string | undefined;
}

export interface OpenStore {
  readonly tracerProvider: TracerProvider;
  /** Spans that are not on disk and never will be. */
  readonly droppedSpans: number;
  flush(): Promise<void>;
  /** For the `exit` event. */
  flushSync(): void;
  shutdown(): Promise<void>;
}

/** For spans of others, as an application's own processor hands them over. */
export function openExporter(options: Partial<StoreWriterOptions>): StoreSpanExporter {
  const writer = new StoreWriter({ ...options, directory: options.directory ?? storeDirectory() });
  return new StoreSpanExporter(writer, loadSdkSync().JsonTraceSerializer);
}

export function openStore(sdk: StoreSdk, options: OpenStoreOptions = {}): OpenStore {
  const writer = new StoreWriter({ ...options, directory: options.directory ?? storeDirectory() });
  const exporter = new StoreSpanExporter(writer, sdk.JsonTraceSerializer);
  const processor = new BatchProcessor(exporter);
  const tracerProvider = new sdk.BasicTracerProvider({
    // Everything: a caller's unsampled trace or `OTEL_TRACES_SAMPLER` is about a backend, not about this store.
    sampler: new sdk.AlwaysOnSampler(),
    resource: sdk.resourceFromAttributes({ ...sdk.SDK_INFO, ...resourceAttributes(options.serviceName) }),
    spanProcessors: [processor],
  });
  return {
    tracerProvider,
    get droppedSpans() {
      return exporter.droppedSpans;
    },
    flush: () => processor.forceFlush(),
    flushSync: () => processor.flushSync(),
    shutdown: () => processor.shutdown(),
  };
}
