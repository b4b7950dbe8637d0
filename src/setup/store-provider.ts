/** The local store as a tracer provider that a sink may be given, written whatever else the application exports. */
import type { TracerProvider } from '@opentelemetry/api';
import { atExit } from '../at-exit.ts';
import { type OpenStoreOptions, openStore } from '../store/open-store.ts';
import { loadSdkSync } from '../store/sdk.ts';

export function storeTracerProvider(options: OpenStoreOptions): TracerProvider {
  const store = openStore(loadSdkSync(), options);
  atExit({ flush: () => store.flush(), flushSync: () => store.flushSync() });
  return store.tracerProvider;
}
