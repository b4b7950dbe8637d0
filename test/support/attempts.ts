/**
 * Runs one case and takes down everything that a host could notice of it.
 */
import { nextTurn } from './recorded-calls.ts';
import type { ReceivedRequest, ScriptedReply, ScriptedServer } from './scripted-server.ts';

interface ErrorFacts {
  readonly className: string;
  readonly name: string;
  readonly message: string;
  readonly status: unknown;
  readonly code: unknown;
  readonly requestId: unknown;
  readonly body: unknown;
  readonly cause: ErrorFacts | undefined;
}

export interface Attempt {
  readonly value: unknown;
  readonly error: ErrorFacts | undefined;
  readonly received: readonly ReceivedRequest[];
  readonly transport: TransportCounts;
  readonly unhandledRejections: readonly string[];
}

export interface TransportCounts {
  pulls: number;
  cancels: number;
}

export async function attempt(
  server: ScriptedServer,
  replies: readonly ScriptedReply[],
  counts: TransportCounts,
  run: () => Promise<unknown>,
): Promise<Attempt> {
  server.script(replies);
  const unhandledRejections: string[] = [];
  const onUnhandled = (reason: unknown): void => {
    unhandledRejections.push(String(reason));
  };
  process.on('unhandledRejection', onUnhandled);
  let value: unknown;
  let error: ErrorFacts | undefined;
  try {
    value = await run();
  } catch (thrown) {
    error = errorFacts(thrown);
  }
  // Rejections without an owner are announced at the end of the turn in which they arise.
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  process.off('unhandledRejection', onUnhandled);
  return { value, error, received: [...server.received], transport: { ...counts }, unhandledRejections };
}

/**
 * A transport whose body arrives in equal pieces, so that the reads of two runs can be compared: the network's own
 * pieces depend on the moment. `failure` breaks the body after its last piece.
 */
export function countingTransport(counts: TransportCounts, failure?: Error): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const bytes = new Uint8Array(await response.arrayBuffer());
    let at = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          counts.pulls++;
          if (at < bytes.length) {
            controller.enqueue(bytes.slice(at, at + 48));
            at += 48;
          } else if (failure === undefined) {
            controller.close();
          } else {
            controller.error(failure);
          }
        },
        cancel() {
          counts.cancels++;
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, response);
  };
}

export async function collect(
  events: AsyncIterable<unknown>,
  limit = Number.POSITIVE_INFINITY,
): Promise<unknown[]> {
  const collected: unknown[] = [];
  for await (const event of events) {
    collected.push(event);
    if (collected.length >= limit) break;
  }
  return collected;
}

/** All that a `Response` shows of itself, except its body. */
export function responseFacts(response: Response): Record<string, unknown> {
  const { url, status, statusText, ok, redirected, type, bodyUsed } = response;
  const headers = [...response.headers].filter(([name]) => name !== 'date');
  return {
    className: response.constructor.name,
    isResponse: response instanceof Response,
    ...{ url, status, statusText, ok, redirected, type, bodyUsed, headers },
  };
}

function errorFacts(error: unknown): ErrorFacts {
  const thrown = error as Error & Record<string, unknown>;
  return {
    className: thrown.constructor.name,
    name: thrown.name,
    message: thrown.message,
    status: thrown.status,
    code: thrown.code,
    requestId: thrown.requestID,
    body: thrown.error,
    cause: thrown.cause === undefined ? undefined : errorFacts(thrown.cause),
  };
}
