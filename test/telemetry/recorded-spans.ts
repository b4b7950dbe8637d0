/** A real SDK with an exporter in memory, registered globally for one test, and undone after it. */
import { context, type Tracer, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

export class RecordedSpans {
  readonly exporter = new InMemorySpanExporter();
  readonly provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.exporter)] });
  readonly tracer: Tracer = this.provider.getTracer('application');

  all(): ReadableSpan[] {
    return this.exporter.getFinishedSpans();
  }

  named(name: string): ReadableSpan {
    const found = this.all().filter((span) => span.name === name);
    const [span] = found;
    if (span === undefined || found.length > 1) {
      throw new Error(`${found.length} spans named ${name} among ${this.all().map((each) => each.name)}`);
    }
    return span;
  }
}

export function registerContextManager(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}

export function registerTracing(): RecordedSpans {
  const spans = new RecordedSpans();
  trace.setGlobalTracerProvider(spans.provider);
  return spans;
}

export function unregisterTracing(): void {
  trace.disable();
  context.disable();
}
