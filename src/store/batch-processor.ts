/**
 * Collects ended spans for a moment and hands them to the exporter as one batch: one line, one resource.
 *
 * Not the SDK's `BatchSpanProcessor`: that one holds its queue where a synchronous flush at exit cannot reach it by any
 * documented way, and drops spans (2,048 wait at most) without a count that we could report.
 */
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { StoreSpanExporter } from './exporter.ts';

/** Short enough for a live view, and all that Ctrl-C or a crash can cost. */
const MAX_DELAY_MS = 200;
/** In a loop that ends spans without a pause no timer fires, so the number must trigger too. About 1 ms to serialise. */
const MAX_BATCH_SPANS = 64;

export class BatchProcessor implements SpanProcessor {
  readonly #exporter: StoreSpanExporter;
  #ended: ReadableSpan[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(exporter: StoreSpanExporter) {
    this.#exporter = exporter;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    this.#ended.push(span);
    if (this.#ended.length >= MAX_BATCH_SPANS) this.#handOver();
    else this.#timer ??= setTimeout(() => this.#handOver(), MAX_DELAY_MS).unref();
  }

  forceFlush(): Promise<void> {
    this.#handOver();
    return this.#exporter.forceFlush();
  }

  flushSync(): void {
    this.#handOver();
    this.#exporter.flushSync();
  }

  async shutdown(): Promise<void> {
    this.#handOver();
    await this.#exporter.shutdown();
  }

  #handOver(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#ended.length === 0) return;
    const batch = this.#ended;
    this.#ended = [];
    this.#exporter.exportSync(batch);
  }
}
