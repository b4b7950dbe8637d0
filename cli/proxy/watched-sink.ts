/** A sink that lets somebody look at each call on its way to another sink. */
import type { CallSink } from '../../src/call-sink.ts';
import type { DiagnosedCall } from '../../src/diagnosis.ts';
import type { Unreadable } from '../../src/engine.ts';
import type { Exchange } from '../../src/exchange.ts';

export type OnCall = (call: DiagnosedCall | Unreadable, exchange: Exchange) => void;

export function watchedSink(sink: CallSink, onCall: OnCall): CallSink {
  return {
    open(request) {
      const openCall = sink.open(request);
      return {
        end(call, response) {
          openCall.end(call, response);
          onCall(call, { ...request, response });
        },
      };
    },
    flush: () => sink.flush(),
    shutdown: () => sink.shutdown(),
  };
}
