/**
 * Follows a store as processes write it: what is there, then each new line of each file, once.
 *
 * `fs.watch` only wakes us early. It misses changes on network file systems and containers' mounts, and cannot watch a
 * directory that does not exist yet, so a slow poll goes on beside it.
 */
import { type FSWatcher, watch } from 'node:fs';
import { storeFiles } from './directory.ts';
import type { StoredSpan } from './otlp-json.ts';
import { ReadReport } from './read-report.ts';
import { Tail } from './tail.ts';

export interface FollowOptions {
  /** @default 500 */
  readonly pollIntervalMs?: number | undefined;
  /** Filled with what could not be read. */
  readonly report?: ReadReport | undefined;
}

/** Resolves when `signal` aborts. `directory` may come into being later. */
export async function follow(
  directory: string,
  onSpans: (spans: StoredSpan[]) => void,
  signal: AbortSignal,
  { pollIntervalMs = 500, report = new ReadReport() }: FollowOptions = {},
): Promise<void> {
  const tails = new Map<string, Tail>();
  const alarm = new Alarm(signal);
  let watcher: FSWatcher | undefined;
  try {
    while (!signal.aborted) {
      watcher ??= tryWatch(directory, () => alarm.ring());
      const files = storeFiles(directory);
      for (const gone of [...tails.keys()].filter((file) => !files.includes(file))) tails.delete(gone);
      for (const file of files) {
        const tail = tails.get(file) ?? new Tail(file, report);
        tails.set(file, tail);
        for await (const spans of tail.newSpans()) {
          if (signal.aborted) return;
          onSpans(spans);
        }
      }
      await alarm.wait(pollIntervalMs);
    }
  } finally {
    watcher?.close();
  }
}

function tryWatch(directory: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(directory, onChange);
    watcher.on('error', () => watcher.close()); // deleted, or out of watches: the poll still sees it
    return watcher;
  } catch {
    return undefined; // not there yet
  }
}

/** Sleeps until rung, timed out or aborted. A ring while nobody sleeps ends the next sleep at once. */
class Alarm {
  readonly #signal: AbortSignal;
  #isRung = false;
  #wake: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.ring(), { once: true });
  }

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  async wait(timeoutMs: number): Promise<void> {
    if (!this.#isRung && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isRung = false;
    this.#wake = undefined;
  }
}
