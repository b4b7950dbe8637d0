/**
 * A sink whose spans leave through an SDK that we started: flushing the sink flushes the SDK, and a process that ends does
 * both.
 */
import type { CallSink, OpenCall, OurPath } from '../call-sink.ts';
import type { ExchangeRequest } from '../exchange.ts';
import { guard } from '../guard.ts';
import { type ExitFlush, flushAtExit } from './exit-flush.ts';
import type { ExportingSdk } from './exporting-sdk.ts';

export class SdkSink implements CallSink {
  readonly #sink: CallSink;
  readonly #start: () => ExportingSdk | undefined;
  readonly #flushEverything: () => Promise<void>;
  #hasStarted = false;
  #sdk: ExportingSdk | undefined;
  #exitFlush: ExitFlush | undefined;

  /** `start` may find that it is not needed any more. `flushEverything` is for the end of the process. */
  constructor(sink: CallSink, start: () => ExportingSdk | undefined, flushEverything: () => Promise<void>) {
    this.#sink = sink;
    this.#start = start;
    this.#flushEverything = flushEverything;
  }

  /** The first call, at the latest, starts it. */
  startSdk(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#sdk = guard('the OpenTelemetry SDK could not be started, nothing is exported', this.#start);
    if (this.#sdk !== undefined) this.#exitFlush = flushAtExit(this.#flushEverything);
  }

  open(request: ExchangeRequest): OpenCall {
    const openCall = this.#sink.open(request);
    // Off the caller's path, and early enough: spans are made when a call ends.
    if (!this.#hasStarted) setImmediate(() => this.startSdk());
    return {
      end: (call, response) => {
        this.startSdk();
        this.#exitFlush?.note();
        openCall.end(call, response);
      },
    };
  }

  spend(path: OurPath, durationMs: number): void {
    this.#sink.spend?.(path, durationMs);
  }

  async flush(): Promise<void> {
    await this.#sink.flush();
    await this.#sdk?.flush();
  }

  async shutdown(): Promise<void> {
    this.#exitFlush?.stop();
    await this.#sink.shutdown();
    await this.#sdk?.shutdown();
  }
}
