/**
 * An OTLP receiver on loopback as a source: any instrumented program can export its spans straight into the viewer. What was
 * taken is held until the viewer reads it, and no longer; nothing is written down.
 */

import { countOf } from '../terminal/format.ts';
import type { CallSource } from './call-source.ts';
import { withEngine } from './diagnose-logs.ts';
import { createSourceNotes } from './notes.ts';
import { bodyReader } from './otlp/body.ts';
import { CountedNote } from './otlp/counted-note.ts';
import { handleRequest, type TraceIntake } from './otlp/handle-request.ts';
import { MAX_WAITING_BYTES } from './otlp/limits.ts';
import { listenOnLoopback } from './otlp/listen.ts';
import { ReceivedCalls } from './otlp/received-calls.ts';
import { type ReceivedSpans, receivedSpans } from './otlp/received-spans.ts';
import { Queue } from './queue.ts';

/** The port that every exporter tries where it is told none. */
const OTLP_PORT = 4318;

export interface OtlpReceiverOptions {
  /** 0 is any free one. @default 4318 */
  readonly port?: number | undefined;
  /** Of what waits to be read. */
  readonly maxWaitingBytes?: number | undefined;
}

export interface OtlpReceiverSource extends CallSource {
  readonly hint: string;
  /** `http://127.0.0.1:PORT`, for OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  close(): Promise<void>;
}

interface Batch {
  readonly spans: ReceivedSpans;
  readonly sizeBytes: number;
}

/** A `UserError` where the port cannot be had. Give it one reader. */
export async function otlpReceiverSource({
  port = OTLP_PORT,
  maxWaitingBytes = MAX_WAITING_BYTES,
}: OtlpReceiverOptions = {}): Promise<OtlpReceiverSource> {
  const notes = createSourceNotes();
  const dropped = new CountedNote(
    notes.skippedLines,
    (count) => `${countOf(count, 'span')} that came faster than they could be shown`,
  );
  const queue = new Queue<Batch>();
  let waitingBytes = 0;

  const intake: TraceIntake = {
    take(tracesData, sizeBytes) {
      const spans = receivedSpans(tracesData);
      if (spans.count === 0) return 0;
      // A batch by itself is always taken.
      if (waitingBytes > 0 && waitingBytes + sizeBytes > maxWaitingBytes) {
        dropped.add(spans.count);
        return spans.count;
      }
      waitingBytes += sizeBytes;
      queue.push({ spans, sizeBytes });
      return 0;
    },
    onRefused: (reason) => notes.skippedLines.add({ source: null, reason }),
  };
  const readBody = bodyReader();
  const server = await listenOnLoopback({
    port,
    onRequest: (request, response) => {
      handleRequest(request, response, readBody, intake).catch(() => response.destroy());
    },
    onForeign: ({ code }) => {
      if (code === 'HPE_PAUSED_H2_UPGRADE') intake.onRefused(GRPC);
    },
  });
  const url = `http://127.0.0.1:${server.port}`;

  return {
    name: `OTLP on port ${server.port}`,
    hint: `Start your program with OTEL_EXPORTER_OTLP_ENDPOINT=${url}, and with OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf where gRPC is its default.`,
    canFollow: true,
    notes,
    url,
    async *read({ follow = false, signal } = {}) {
      signal?.addEventListener('abort', () => queue.end(), { once: true });
      if (!follow || signal?.aborted) queue.end();
      yield* withEngine(async function* (engine) {
        const calls = new ReceivedCalls(engine, notes);
        for await (const { spans, sizeBytes } of queue) {
          waitingBytes -= sizeBytes;
          const reported = await calls.add(spans);
          if (reported.length > 0) yield reported;
        }
      });
    },
    async close() {
      queue.end();
      await server.close();
    },
  };
}

const GRPC =
  'something speaks gRPC, which is not understood here: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf for it';
