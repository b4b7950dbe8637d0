/**
 * Owner of the worker thread: started with the first request, started once more after a crash, and then never again.
 * It never keeps the host alive on its own, inherits neither its flags nor its environment (a preloaded module would run
 * in it again), and writes nothing to its console.
 */
import { Worker } from 'node:worker_threads';
import type { CountRequest } from './worker.ts';

export interface WorkerThreadOptions {
  /** Asked for with the first start; may throw. */
  readonly file: () => URL;
  /** A request that takes longer counts as a crash. Loading a vocabulary is part of the first one. */
  readonly deadlineMs: number;
}

const MOST_STARTS = 2;

/** The thread takes about 55 MB, 65 with both vocabularies; a runaway one ends before the host feels it. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

export class WorkerThread {
  readonly #options: WorkerThreadOptions;
  #worker: Worker | undefined;
  #starts = 0;
  #mayStart = true;
  #isHeld = false;
  #answer: ((counts: readonly number[] | null) => void) | undefined;

  constructor(options: WorkerThreadOptions) {
    this.#options = options;
  }

  get hasGivenUp(): boolean {
    return this.#worker === undefined && !this.#mayStart;
  }

  get starts(): number {
    return this.#starts;
  }

  /** One request at a time. `null`: the thread crashed over it, or cannot be started. */
  count(request: CountRequest): Promise<readonly number[] | null> {
    return new Promise((resolve) => {
      const worker = this.#running();
      if (!worker) {
        resolve(null);
        return;
      }
      const deadline = setTimeout(() => this.#crashed(worker), this.#options.deadlineMs);
      deadline.unref();
      this.#answer = (counts) => {
        this.#answer = undefined;
        clearTimeout(deadline);
        resolve(counts);
      };
      worker.postMessage(request);
    });
  }

  /** While somebody waits for an answer, the process must not end for want of other work. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (isHeld) this.#worker?.ref();
    else this.#worker?.unref();
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#mayStart = false;
    this.#worker = undefined;
    this.#answer?.(null);
    await worker?.terminate();
  }

  #running(): Worker | undefined {
    if (this.#worker || !this.#mayStart) return this.#worker;
    this.#starts += 1;
    this.#mayStart = this.#starts < MOST_STARTS;
    try {
      const worker = new Worker(this.#options.file(), {
        name: 'prefixtrace-tokens',
        execArgv: [],
        env: {},
        stdout: true,
        stderr: true,
        resourceLimits: RESOURCE_LIMITS,
      });
      worker.on('message', (counts: readonly number[]) => this.#answer?.(counts));
      for (const event of ['error', 'messageerror', 'exit']) worker.on(event, () => this.#crashed(worker));
      if (!this.#isHeld) worker.unref();
      this.#worker = worker;
    } catch {
      // Threads are forbidden here (permission model, another runtime): the estimates go by length.
      this.#mayStart = false;
    }
    return this.#worker;
  }

  #crashed(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    void worker.terminate();
    this.#answer?.(null);
  }
}
