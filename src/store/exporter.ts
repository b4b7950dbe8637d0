/**
 * Spans → one line of OTLP JSON → the store. Also fit for an application's own tracer provider, beside its exporter.
 */
import type { ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { createSayOnce } from './say-once.ts';
import type { StoreSdk } from './sdk.ts';
import type { StoreWriter } from './writer.ts';

/** `ExportResultCode.SUCCESS`; as a value it would load @opentelemetry/core with this file. */
const SUCCESS: ExportResult = { code: 0 };

export class StoreSpanExporter implements SpanExporter {
  readonly #writer: StoreWriter;
  readonly #serializer: StoreSdk['JsonTraceSerializer'];
  readonly #sayOnce = createSayOnce();
  #droppedSpans = 0;

  constructor(writer: StoreWriter, serializer: StoreSdk['JsonTraceSerializer']) {
    this.#writer = writer;
    this.#serializer = serializer;
  }

  get droppedSpans(): number {
    return this.#droppedSpans + this.#writer.droppedRecords;
  }

  /**
   * Always reports success: a failure would make the SDK log each batch, where the writer says it once and counts.
   */
  export(spans: ReadableSpan[], resultCallback: (result: ExportResult) => void): void {
    this.exportSync(spans);
    this.#writer.flush().then(() => resultCallback(SUCCESS));
  }

  /** Hands the spans to the writer's queue and waits for nothing. */
  exportSync(spans: ReadableSpan[]): void {
    try {
      const line = this.#serializer.serializeRequest(spans);
      if (line !== undefined) this.#writer.append(line, spans.length);
    } catch (error) {
      this.#droppedSpans += spans.length;
      this.#sayOnce('serialize', 'a span could not be written as OTLP JSON; it is dropped', error);
    }
  }

  flushSync(): void {
    this.#writer.flushSync();
  }

  forceFlush(): Promise<void> {
    return this.#writer.flush();
  }

  shutdown(): Promise<void> {
    return this.#writer.close();
  }
}
