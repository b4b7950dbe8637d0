/** A sink that lets somebody look at each call on its way to another sink. */
import type { CallSink, OpenCall } from '../../src/call-sink.ts';
import type { ExchangeRequest } from '../../src/exchange.ts';

/** `watch` is asked at the start of a call for what is to see its end; the request may be megabytes, so keep what is needed. */
export function watchedSink(sink: CallSink, watch: (request: ExchangeRequest) => OpenCall['end']): CallSink {
  return {
    open(request) {
      const openCall = sink.open(request);
      const onEnd = watch(request);
      return {
        end(call, response) {
          openCall.end(call, response);
          onEnd(call, response);
        },
      };
    },
    flush: () => sink.flush(),
    shutdown: () => sink.shutdown(),
  };
}
