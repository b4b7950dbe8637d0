/**
 * Which span belongs to which diagnosis, so that a divergence can link to the call that it was compared with.
 *
 * Owner: the sink, one map each. Least recently used first out; a baseline that fell out costs a link, nothing more.
 */
import type { SpanContext } from '@opentelemetry/api';

/** More than any application has live conversations; about 150 bytes each, so below 1 MB. */
const MAX_BASELINES = 4096;

export class BaselineSpans {
  readonly #byIndex = new Map<number, SpanContext>();
  readonly #maxEntries: number;

  constructor(maxEntries = MAX_BASELINES) {
    this.#maxEntries = maxEntries;
  }

  remember(index: number, spanContext: SpanContext): void {
    this.#byIndex.delete(index);
    this.#byIndex.set(index, spanContext);
    if (this.#byIndex.size <= this.#maxEntries) return;
    const [oldest] = this.#byIndex.keys(); // a Map iterates in order of insertion
    if (oldest !== undefined) this.#byIndex.delete(oldest);
  }

  get(index: number): SpanContext | undefined {
    const spanContext = this.#byIndex.get(index);
    if (spanContext !== undefined) this.remember(index, spanContext);
    return spanContext;
  }
}
