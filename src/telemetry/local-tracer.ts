/**
 * The tracer of the local store, for applications without a tracer provider of their own.
 *
 * The SDK behind it is loaded at first need. Until then the work that needs a tracer waits here as jobs: few, as loading
 * takes about a tenth of a second, and bounded in any case. At exit the rest is loaded synchronously and written.
 */
import type { Tracer } from '@opentelemetry/api';
import { guard, guardAsync, report } from '../guard.ts';
import { tracerOf } from './application-tracer.ts';

type StoreModule = typeof import('../store/open-store.ts');
type OpenStore = ReturnType<StoreModule['openStore']>;
export type OpenStoreOptions = NonNullable<Parameters<StoreModule['openStore']>[1]>;
export type TracerJob = (tracer: Tracer) => void;

const MAX_WAITING_JOBS = 4096;

export class LocalTracer {
  readonly #options: OpenStoreOptions;
  #module: StoreModule | undefined;
  #store: OpenStore | undefined;
  #tracer: Tracer | undefined;
  #jobs: TracerJob[] = [];
  #droppedJobs = 0;
  #loadingModule: Promise<void> | undefined;
  #loadingSdk: Promise<void> | undefined;
  #forgetAtExit: (() => void) | undefined;

  constructor(options: OpenStoreOptions) {
    this.#options = options;
  }

  /** Records that will never be on disk. */
  get dropped(): number {
    return this.#droppedJobs + (this.#store?.droppedSpans ?? 0);
  }

  /** Loads the store's own code, which is light; the SDK waits for the first job. */
  prepare(): Promise<void> {
    this.#loadingModule ??= guardAsync('the local store could not be loaded', async () => {
      this.#module = await import('../store/open-store.ts');
      this.#forgetAtExit = this.#module.atExit({
        flush: () => this.flush(),
        flushSync: () => this.#flushSync(),
      });
    });
    return this.#loadingModule;
  }

  run(job: TracerJob): void {
    if (this.#tracer !== undefined) {
      job(this.#tracer);
    } else if (this.#jobs.length >= MAX_WAITING_JOBS) {
      this.#droppedJobs += 1;
      report('more calls than may wait for the local store to load', MAX_WAITING_JOBS);
    } else {
      this.#jobs.push(job);
      void this.#load();
    }
  }

  async flush(): Promise<void> {
    if (this.#jobs.length > 0) await this.#load();
    await this.#store?.flush();
  }

  async shutdown(): Promise<void> {
    await this.flush();
    await this.#loadingModule; // else it would sign up for the exit after we left
    this.#forgetAtExit?.();
    await this.#store?.shutdown();
  }

  #load(): Promise<void> {
    this.#loadingSdk ??= guardAsync('the OpenTelemetry SDK could not be loaded', async () => {
      await this.prepare();
      const sdk = await this.#module?.loadSdk();
      if (sdk !== undefined) this.#open(sdk);
    });
    return this.#loadingSdk;
  }

  #open(sdk: Parameters<StoreModule['openStore']>[0]): void {
    if (this.#store !== undefined || this.#module === undefined) return;
    this.#store = this.#module.openStore(sdk, this.#options);
    this.#tracer = tracerOf(this.#store.tracerProvider);
    const jobs = this.#jobs;
    this.#jobs = [];
    for (const job of jobs) job(this.#tracer);
  }

  #flushSync(): void {
    guard('the last calls could not be written at exit', () => {
      if (this.#jobs.length > 0 && this.#module !== undefined) this.#open(this.#module.loadSdkSync());
      this.#store?.flushSync();
    });
  }
}
