/**
 * Diagnoses the model calls of other people's instrumentations from the spans that they end, where these captured content:
 * for clients that cannot be observed. What is found hangs below the span of the call, which has ended and takes no more
 * attributes.
 *
 * A captured prompt is a form that somebody normalised, mostly without cache marks and settings: a divergence is real, and
 * one in what the form leaves out is not seen. `observe()` sees the bytes; a call that it saw is left to it.
 */
import type { Span } from '@opentelemetry/api';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { atExit } from '../at-exit.ts';
import type { Engine } from '../engine.ts';
import type { Exchange } from '../exchange.ts';
import { guard, guardAsync, report } from '../guard.ts';
import { isObserved } from '../observed-spans.ts';
import { ROOT_CONTEXT, runInContext, withSpan } from '../opentelemetry.ts';
import { isDisabled } from '../switches.ts';
import { ATTR_LINEAGE, ATTR_UNREADABLE, INSTRUMENTATION_NAME } from '../telemetry/semconv.ts';
import { createTelemetrySink, type TelemetrySink, type TelemetrySinkOptions } from '../telemetry/sink.ts';

export type DiagnoseSpansOptions = TelemetrySinkOptions;

interface WaitingCall {
  readonly exchange: Exchange;
  readonly span: ReadableSpan;
}

/** Prompts that may wait while the engine loads or the event loop is busy; each may be megabytes. */
const MAX_WAITING_CALLS = 256;

type ReadSpan = (span: ReadableSpan) => Exchange | undefined;

/**
 * A span processor for an OpenTelemetry set-up of your own. Put it in front of the one that exports: at a flush they run
 * in their order, and what this one finds is to be exported too.
 *
 * @example
 * new NodeSDK({ spanProcessors: [diagnoseSpans(), new BatchSpanProcessor(new OTLPTraceExporter())] }).start();
 */
export function diagnoseSpans(options: DiagnoseSpansOptions = {}): SpanProcessor {
  return new SpanDiagnoser(options);
}

class SpanDiagnoser implements SpanProcessor {
  readonly #sink: TelemetrySink;
  readonly #engineLoaded: Promise<void>;
  #engine: Engine | undefined;
  #read: ReadSpan | undefined;
  /** Ended before it was known how to read them. */
  #unread: ReadableSpan[] = [];
  #waiting: WaitingCall[] = [];
  #isScheduled = false;
  #isShutDown = false;

  constructor(options: DiagnoseSpansOptions) {
    this.#sink = createTelemetrySink(options);
    this.#engineLoaded = isDisabled()
      ? Promise.resolve()
      : guardAsync('the diagnosis engine could not be loaded', async () => {
          const [{ createEngine }, { exchangeOf }] = await Promise.all([
            import('../diagnose.ts'),
            import('../spans/ended-span.ts'),
          ]);
          this.#read = exchangeOf;
          for (const span of this.#unread.splice(0)) this.#take(span);
          // Names of lineages that the hooks of the same process do not give.
          this.#engine = await createEngine({ lineagePrefix: 'span-' });
        });
    atExit({ isSource: true, flush: () => this.forceFlush(), flushSync: () => this.#diagnoseWaiting() });
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    guard('a span could not be read', () => this.#take(span));
  }

  async forceFlush(): Promise<void> {
    this.#diagnoseWaiting(); // before the first await: see `diagnoseSpans`
    if (this.#waiting.length === 0 && this.#unread.length === 0) return;
    await this.#engineLoaded;
    this.#diagnoseWaiting();
  }

  async shutdown(): Promise<void> {
    await this.forceFlush();
    this.#isShutDown = true;
  }

  #take(span: ReadableSpan): void {
    if (this.#isShutDown || isDisabled() || !isOfOthers(span)) return;
    const waiting = this.#read === undefined ? this.#unread : this.#waiting;
    if (waiting.length >= MAX_WAITING_CALLS) {
      report('spans end faster than they are diagnosed, some are left out', MAX_WAITING_CALLS);
      return;
    }
    if (this.#read === undefined) {
      this.#unread.push(span);
      return;
    }
    const exchange = this.#read(span);
    if (exchange === undefined) return;
    this.#waiting.push({ exchange, span });
    this.#schedule();
  }

  /** Off the path of whoever ended the span. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    void this.#engineLoaded.then(() =>
      setImmediate(() => {
        this.#isScheduled = false;
        this.#diagnoseWaiting();
      }),
    );
  }

  #diagnoseWaiting(): void {
    const engine = this.#engine;
    if (engine === undefined) return;
    const calls = this.#waiting;
    this.#waiting = [];
    for (const call of calls) guard('a span could not be diagnosed', () => this.#diagnose(engine, call));
  }

  #diagnose(engine: Engine, { exchange, span }: WaitingCall): void {
    const call = engine.start(exchange).finish(exchange.response);
    // What processors get is the SDK's own span, and its end is what the sink looks at.
    const place = withSpan(ROOT_CONTEXT, span as unknown as Span);
    const openCall = runInContext(place, () => this.#sink.open(exchange));
    openCall.end(call, exchange.response ?? { ending: 'completed' });
  }
}

/** Neither ours nor one of a call that our hooks saw. */
function isOfOthers(span: ReadableSpan): boolean {
  if (span.instrumentationScope.name === INSTRUMENTATION_NAME || isObserved(span)) return false;
  return span.attributes[ATTR_LINEAGE] === undefined && span.attributes[ATTR_UNREADABLE] === undefined;
}
