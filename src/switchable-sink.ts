/**
 * A sink whose target may be replaced while calls are open: set-up may come after the first client was observed. A call ends
 * where it was opened, and a flush covers every target that there was.
 */
import type { CallSink, OpenCall, OurPath } from './call-sink.ts';
import type { ExchangeRequest } from './exchange.ts';
import { noteActiveSpan } from './observed-spans.ts';

export class SwitchableSink implements CallSink {
  readonly #create: () => CallSink;
  /** In the order in which they were made; the last one is in use. */
  readonly #targets: CallSink[] = [];

  /** `create` makes the target for those that never call `switchTo`, at the first call. */
  constructor(create: () => CallSink) {
    this.#create = create;
  }

  switchTo(target: CallSink): void {
    this.#targets.push(target);
  }

  /** Makes the first target now instead of during the first call. */
  prepare(): void {
    if (this.#targets.length === 0) this.#targets.push(this.#create());
  }

  open(request: ExchangeRequest): OpenCall {
    noteActiveSpan();
    this.prepare();
    const target = this.#targets.at(-1) as CallSink; // `prepare` made one
    return target.open(request);
  }

  spend(path: OurPath, durationMs: number): void {
    this.#targets.at(-1)?.spend?.(path, durationMs);
  }

  async flush(): Promise<void> {
    await Promise.all(this.#targets.map((target) => target.flush()));
  }

  async shutdown(): Promise<void> {
    await Promise.all(this.#targets.map((target) => target.shutdown()));
  }
}
