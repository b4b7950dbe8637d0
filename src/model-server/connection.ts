/**
 * One answer on its way to a client: writes wait until the connection took them, and stop when the client has left.
 */
import type { ServerResponse } from 'node:http';
import { constants, type Http2Stream } from 'node:http2';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Chunk } from './answer.ts';
import type { Ending } from './types.ts';

/** What a gateway says whose upstream failed. */
const RESET_CODE = constants.NGHTTP2_INTERNAL_ERROR;

export class Connection {
  readonly #response: ServerResponse;
  readonly #left = new AbortController();
  #isDropped = false;
  #isFinished = false;
  #giveUpWrite: () => void = () => {};
  readonly #onChunk: () => void;
  /** Settles when nothing more will be written, for whichever reason. */
  readonly ended: Promise<Ending>;

  /** `onChunk` is told of each chunk that the connection took. */
  constructor(response: ServerResponse, onChunk: () => void) {
    this.#response = response;
    this.#onChunk = onChunk;
    // A write that the client's leaving cut short; `close` follows and is what counts.
    response.on('error', () => undefined);
    response.on('finish', () => {
      this.#isFinished = true;
    });
    this.ended = new Promise((resolve) => {
      response.on('close', () => {
        this.#left.abort();
        this.#giveUpWrite();
        // HTTP/2 tells of a finish also where the client left.
        const isAnswered = this.#isFinished && response.writableEnded;
        resolve(this.#isDropped ? 'dropped' : isAnswered ? 'answered' : 'disconnected');
      });
    });
  }

  get hasEnded(): boolean {
    return this.#left.signal.aborted || this.#isDropped || this.#response.destroyed;
  }

  /** Returns early when the client leaves. */
  async delay(delayMs: number): Promise<void> {
    if (delayMs <= 0) return;
    await wait(delayMs, undefined, { signal: this.#left.signal }).catch(() => undefined);
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
  }

  /** Resolves when the connection has taken the chunk: a client that reads slowly is answered slowly. */
  async write(chunk: Chunk): Promise<void> {
    if (this.hasEnded) return;
    const isTaken = await new Promise<boolean>((resolve) => {
      this.#giveUpWrite = () => resolve(false);
      this.#response.write(chunk, (error) => resolve(!error));
    });
    if (isTaken) this.#onChunk();
    // A write into a free buffer calls back before any input is handled: a client in this process would starve.
    await nextTurn();
  }

  end(): void {
    this.#response.end();
  }

  /** Breaks the connection as a network failure would. */
  drop(): void {
    this.#isDropped = true;
    // HTTP/2 would end its stream in order.
    if ('stream' in this.#response) (this.#response.stream as Http2Stream).close(RESET_CODE);
    else this.#response.destroy();
  }
}
