/** A receiver that is read as the viewer reads it, and what has come out so far. */
import { type OtlpReceiverOptions, otlpReceiverSource } from '../../cli/sources/otlp-receiver.ts';
import type { ReportedCall } from '../../cli/summary/reported-call.ts';

export type ReadReceiver = Awaited<ReturnType<typeof startReadReceiver>>;

export async function startReadReceiver(options: OtlpReceiverOptions = {}) {
  const source = await otlpReceiverSource({ port: 0, ...options });
  const calls = new Map<string, ReportedCall>();
  const stop = new AbortController();
  const read = async () => {
    for await (const batch of source.read({ follow: true, signal: stop.signal }))
      for (const call of batch) calls.set(call.id, call);
  };
  const reading = read();
  return {
    source,
    calls: () => [...calls.values()].sort((left, right) => left.index - right.index),
    post: (path: string, init: RequestInit & { readonly body?: BodyInit }) =>
      fetch(source.url + path, { method: 'POST', ...init }),
    postJson: (tracesData: unknown) =>
      fetch(`${source.url}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(tracesData),
      }),
    /** Ends the reading as the viewer does when it is left; what was taken is out then. */
    async end(): Promise<ReportedCall[]> {
      stop.abort();
      await reading;
      await source.close();
      return this.calls();
    },
  };
}
