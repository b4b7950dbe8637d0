/**
 * Token counts by content hash, made in a worker thread. Asking never waits and never throws: what is not known yet helps
 * the next call. Nothing is loaded and no thread is started before the first text is asked for.
 */
import { sampleOf } from './count-text.ts';
import type { EncodingName } from './encoding.ts';
import { WorkerThread } from './worker-thread.ts';

/** A segment to be counted, under its content hash. Read only if it has to be. */
export interface Countable {
  readonly hash: bigint;
  read(): CountableText;
}

interface CountableText {
  readonly text: string;
  /** Tokens of what the segment holds beside text, added to the count. */
  readonly extraTokens: number;
}

export interface TokenCounter {
  known(hash: bigint, encoding: EncodingName): number | undefined;
  /** Nothing is known yet. */
  readonly isEmpty: boolean;
  ask(items: readonly Countable[], encoding: EncodingName): void;
  /** Resolves when all that was asked for is counted or given up. Holds the process open until then. */
  settled(): Promise<void>;
  close(): Promise<void>;
  readonly stats: TokenCounterStats;
}

interface TokenCounterStats {
  /** Counts that are held. */
  readonly held: number;
  /** Texts that were never counted: the queue was full, or the thread crashed. */
  readonly dropped: number;
  readonly workerStarts: number;
}

export interface TokenCounterOptions {
  /** @default 100_000 */
  readonly maxHeldCounts?: number | undefined;
  /** Characters that may wait to be counted; beyond that new texts are dropped. @default 16 million */
  readonly maxQueuedCharacters?: number | undefined;
  /** @default 60 seconds */
  readonly deadlineMs?: number | undefined;
  /** @default the built worker */
  readonly workerFile?: URL | undefined;
}

export function createTokenCounter(options: TokenCounterOptions = {}): TokenCounter {
  return new Counter(options);
}

interface Queued {
  readonly key: bigint;
  readonly encoding: EncodingName;
  readonly text: string;
  readonly factor: number;
  readonly extraTokens: number;
}

/** Characters of one message to the worker: passing it copies it, and that is the only work on the host's thread. */
const BATCH_CHARACTERS = 131_072;

class Counter implements TokenCounter {
  readonly #maxHeldCounts: number;
  readonly #maxQueuedCharacters: number;
  readonly #thread: WorkerThread;
  /** Owner: this counter. Least recently used first. */
  readonly #counts = new Map<bigint, number>();
  /** Queued or on their way, in the order in which they were asked for. */
  readonly #waiting = new Map<bigint, Queued>();
  #queuedCharacters = 0;
  #dropped = 0;
  #pumping: Promise<void> | undefined;
  #waiters = 0;

  constructor(options: TokenCounterOptions) {
    this.#maxHeldCounts = options.maxHeldCounts ?? 100_000;
    this.#maxQueuedCharacters = options.maxQueuedCharacters ?? 16_000_000;
    const { workerFile, deadlineMs = 60_000 } = options;
    this.#thread = new WorkerThread({ file: () => workerFile ?? builtWorker(), deadlineMs });
  }

  get stats(): TokenCounterStats {
    return { held: this.#counts.size, dropped: this.#dropped, workerStarts: this.#thread.starts };
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  known(hash: bigint, encoding: EncodingName): number | undefined {
    const key = keyOf(hash, encoding);
    const tokens = this.#counts.get(key);
    // While nothing is about to be dropped, the order of use is of no interest.
    if (tokens !== undefined && this.#counts.size > this.#maxHeldCounts / 2) this.#hold(key, tokens);
    return tokens;
  }

  ask(items: readonly Countable[], encoding: EncodingName): void {
    for (const { hash, read } of items) {
      const key = keyOf(hash, encoding);
      if (this.#counts.has(key) || this.#waiting.has(key)) continue;
      if (this.#thread.hasGivenUp || this.#queuedCharacters > this.#maxQueuedCharacters) this.#dropped += 1;
      else this.#queue(key, encoding, read());
    }
    if (this.#waiting.size > 0) this.#pumping ??= this.#pump();
  }

  #queue(key: bigint, encoding: EncodingName, { text, extraTokens }: CountableText): void {
    if (text === '') {
      this.#hold(key, extraTokens);
      return;
    }
    const sample = sampleOf(text);
    this.#waiting.set(key, { key, encoding, extraTokens, ...sample });
    this.#queuedCharacters += sample.text.length;
  }

  async settled(): Promise<void> {
    if (!this.#pumping) return;
    this.#waiters += 1;
    this.#thread.hold(true);
    while (this.#pumping) await this.#pumping;
    this.#waiters -= 1;
    if (this.#waiters === 0) this.#thread.hold(false);
  }

  async close(): Promise<void> {
    await this.#thread.close();
    await this.#pumping;
  }

  async #pump(): Promise<void> {
    // Not in the task that asked: it may be ending a span.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.size > 0) {
      const batch = this.#nextBatch();
      const encoding = batch[0]?.encoding ?? 'o200k_base';
      const counts = await this.#thread.count({ encoding, texts: batch.map(({ text }) => text) });
      // What crashed the thread is not tried again; the rest is, while the thread can be started.
      const settled = this.#thread.hasGivenUp ? [...this.#waiting.values()] : batch;
      settled.forEach((queued, index) => {
        this.#take(queued, counts?.[index]);
      });
    }
    this.#pumping = undefined;
  }

  /** The oldest texts, of one encoding. */
  #nextBatch(): Queued[] {
    const batch: Queued[] = [];
    let characters = 0;
    for (const queued of this.#waiting.values()) {
      characters += queued.text.length;
      const isFull = characters > BATCH_CHARACTERS || queued.encoding !== batch[0]?.encoding;
      if (batch.length > 0 && isFull) break;
      batch.push(queued);
    }
    return batch;
  }

  #take({ key, text, factor, extraTokens }: Queued, counted: number | undefined): void {
    this.#waiting.delete(key);
    this.#queuedCharacters -= text.length;
    if (counted === undefined) this.#dropped += 1;
    else this.#hold(key, Math.round(counted * factor) + extraTokens);
  }

  #hold(key: bigint, tokens: number): void {
    this.#counts.delete(key);
    this.#counts.set(key, tokens);
    if (this.#counts.size > this.#maxHeldCounts)
      this.#counts.delete(this.#counts.keys().next().value as bigint);
  }
}

/** One map for all encodings. */
function keyOf(hash: bigint, encoding: EncodingName): bigint {
  return encoding === 'o200k_base' ? hash : hash ^ OTHER_ENCODING;
}

const OTHER_ENCODING = 0x9e3779b97f4a7c15n;

/** Tests run on the sources, and a thread cannot: they use the built file too. */
function builtWorker(): URL {
  const isSource = import.meta.url.endsWith('.ts');
  return new URL(isSource ? '../../dist/tokens-worker.js' : './tokens-worker.js', import.meta.url);
}
