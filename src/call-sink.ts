/**
 * Where diagnosed calls go. Hooks hold a sink, telemetry is one; neither knows the other.
 */
import type { DiagnosedCall } from './diagnosis.ts';
import type { Unreadable } from './engine.ts';
import type { ExchangeRequest, ExchangeResponse } from './exchange.ts';

export interface CallSink {
  /** Runs on the caller's path, right after dispatch: captures the active span and returns. */
  open(request: ExchangeRequest): OpenCall;
  /** Resolves when all that was ended before has left the process or reached the disk. */
  flush(): Promise<void>;
  /** Tells how long a step of ours took. Never throws. Absent: nobody counts. */
  spend?(path: OurPath, durationMs: number): void;
  shutdown(): Promise<void>;
}

/** `caller`: the application waited for it; `background`: it ran while nothing waited. */
export type OurPath = 'caller' | 'background';

export interface OpenCall {
  /** Once per call. `call` is what the engine said, or why it could say nothing. */
  end(call: DiagnosedCall | Unreadable, response: ExchangeResponse): void;
}
