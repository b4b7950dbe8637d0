/**
 * Follows one response to its end and ends the record: exactly once, and before the caller gets the chunk with the
 * terminal event, so that a span which ends when the SDK sees that event is still open.
 */
import type { Api, Ending, ExchangeResponse } from '../exchange.ts';
import { guard } from '../guard.ts';
import { type BodyReader, type BodyReading, newBodyReading } from '../response/body-reading.ts';
import { type AbandonmentWatch, watchForAbandonment } from './abandonment.ts';
import { awsEventStreamReader } from './aws-event-stream-reader.ts';
import type { StreamEnd } from './follow-reads.ts';
import { jsonReader } from './json-reader.ts';
import { ndjsonReader } from './ndjson-reader.ts';
import type { BodyObserver } from './pass-through.ts';
import { sseReader } from './sse-reader.ts';

export interface ObservedHead {
  readonly api: Api;
  readonly status: number;
  readonly contentType: string;
  readonly retryAfterMs: number | undefined;
  readonly firstByteAtMs: number;
  /** Tells a caller's abort from a broken connection. */
  readonly isAborted: () => boolean;
  readonly now: () => number;
  readonly abandonedAfterMs: number | undefined;
  /** Told once, of the time that reading this response took us. */
  readonly spend: (durationMs: number) => void;
}

export class ResponseObserver implements BodyObserver {
  /** Of a response that goes on: its functions reach the request. */
  #head: ObservedHead | undefined;
  readonly #reading: BodyReading = newBodyReading();
  #reader: BodyReader | undefined;
  #firstChunkAtMs: number | undefined;
  #spentMs = 0;
  #watch: AbandonmentWatch | undefined;
  #endRecord: ((response: ExchangeResponse) => void) | undefined;

  constructor(head: ObservedHead, endRecord: (response: ExchangeResponse) => void) {
    this.#head = head;
    this.#endRecord = endRecord;
  }

  /** `body` is the stream that the caller reads; it is not held here. */
  watch(body: object): void {
    if (this.#head === undefined) return;
    const onAbandoned = () => this.onEnd({ reason: 'canceled' });
    this.#watch = watchForAbandonment(body, onAbandoned, this.#head.abandonedAfterMs);
  }

  onChunk(chunk: Uint8Array): void {
    const head = this.#head;
    if (head === undefined) return;
    const startedAtMs = performance.now();
    this.#watch?.touch(startedAtMs);
    this.#reader ??= this.#readerFor(head, chunk);
    this.#reader.push(chunk);
    const { terminal } = this.#reading;
    if (terminal !== undefined) this.#finish(head, isSuccess(head.status) ? terminal : 'failed');
    this.#spend(head, startedAtMs);
  }

  onEnd(end: StreamEnd): void {
    const head = this.#head;
    if (head === undefined) return;
    const startedAtMs = performance.now();
    guard('the end of a response could not be read', () => this.#reader?.close(end.reason === 'eof'));
    this.#finish(head, this.#endingOf(head, end));
    this.#spend(head, startedAtMs);
  }

  #spend(head: ObservedHead, startedAtMs: number): void {
    this.#spentMs += performance.now() - startedAtMs;
    if (this.#head === undefined) head.spend(this.#spentMs);
  }

  #endingOf(head: ObservedHead, end: StreamEnd): Ending {
    const { facts, isContentComplete, isEofProper, terminal } = this.#reading;
    if (!isSuccess(head.status)) return 'failed';
    if (terminal !== undefined) return terminal;
    if (isContentComplete) return 'completed';
    if (end.reason === 'canceled') return 'canceled';
    if (end.reason === 'eof') {
      if (isEofProper) return 'completed';
      facts.error ??= { type: 'stream_truncated', message: 'The stream ended before its terminal event.' };
      return 'failed';
    }
    if (head.isAborted()) return 'canceled';
    facts.error ??= transportError(end.error);
    return 'failed';
  }

  #finish({ status, retryAfterMs, firstByteAtMs, now }: ObservedHead, ending: Ending): void {
    const endRecord = this.#endRecord;
    // Everything is let go of at once: the body may stay alive for long after its terminal event, and what has watched for its
    // collection is old to the garbage collector, which then takes whatever this reaches for old as well.
    this.#head = undefined;
    this.#endRecord = undefined;
    this.#reader = undefined;
    this.#watch?.stop();
    endRecord?.({
      ...this.#reading.facts,
      ending,
      status,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      firstByteAtMs,
      ...(this.#firstChunkAtMs !== undefined && { firstChunkAtMs: this.#firstChunkAtMs }),
      completedAtMs: now(),
    });
  }

  #readerFor(head: ObservedHead, firstChunk: Uint8Array): BodyReader {
    const streamReader = this.#streamReaderFor(head, firstChunk);
    if (streamReader !== undefined) this.#firstChunkAtMs = head.now();
    return streamReader ?? jsonReader(this.#reading);
  }

  #streamReaderFor(
    { api, contentType, status }: ObservedHead,
    firstChunk: Uint8Array,
  ): BodyReader | undefined {
    if (contentType.includes('text/event-stream')) return sseReader(api, this.#reading);
    if (contentType.includes('vnd.amazon.eventstream')) return awsEventStreamReader(api, this.#reading);
    if (contentType.includes('ndjson')) return ndjsonReader(this.#reading);
    if (contentType.includes('json')) return undefined;
    // Compatible servers mislabel their bodies, and SDKs go by what they asked for.
    const isJson = /^\s*[[{]/.test(new TextDecoder().decode(firstChunk.subarray(0, 64)));
    return isJson || !isSuccess(status) ? undefined : sseReader(api, this.#reading);
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The name and code of a network error; its text may hold addresses and says no more. */
export function transportError(error: unknown): NonNullable<ExchangeResponse['error']> {
  if (!(error instanceof Error)) return { type: 'unknown_error' };
  const cause = error.cause as { readonly code?: unknown } | undefined;
  const code = (error as { readonly code?: unknown }).code ?? cause?.code;
  return { type: typeof code === 'string' ? code : error.name, message: error.message.slice(0, 200) };
}
