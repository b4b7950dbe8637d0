/** Sends an answer as one JSON body or as a stream of events, and plays the fault that is due in its middle. */
import type { Answer, ApiModule } from './answer.ts';
import type { Connection } from './connection.ts';
import { messageOfStatus, ProviderError } from './provider-error.ts';
import { endlessPieces, pieces } from './sse.ts';
import type { Fault, JsonObject } from './types.ts';

/** A status fault never gets here: it is an answer of its own. */
export type FaultInAnswer = Exclude<Fault, { kind: 'status' }>;

export async function sendJson(
  connection: Connection,
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>>,
  fault?: FaultInAnswer,
): Promise<void> {
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  connection.head(status, { ...headers, 'content-type': 'application/json', 'content-length': length });
  if (fault?.kind === 'drop') {
    await connection.write(text.slice(0, text.length / 2));
    connection.drop();
    return;
  }
  await connection.write(text);
  connection.end();
}

export interface StreamDelivery {
  readonly module: ApiModule;
  readonly requestId: string;
  readonly chunkDelayMs: number;
  readonly fault: FaultInAnswer | undefined;
}

export async function sendStream(
  connection: Connection,
  answer: Answer,
  headers: Readonly<Record<string, string>>,
  { module, requestId, chunkDelayMs, fault }: StreamDelivery,
): Promise<void> {
  connection.head(200, {
    ...headers,
    'content-type': module.streamType,
    'cache-control': 'no-cache',
  });
  const chunksToFault =
    fault?.kind === 'drop' || fault?.kind === 'error-event' ? fault.afterChunks : Infinity;
  let chunksWritten = 0;
  for (const event of answer.events(fault?.kind === 'endless' ? endlessPieces : pieces)) {
    if (chunksWritten >= chunksToFault) break;
    if (chunksWritten > 0) await connection.delay(chunkDelayMs);
    await connection.write(event);
    if (connection.hasEnded) return;
    chunksWritten += 1;
  }
  if (fault?.kind === 'drop') {
    connection.drop();
    return;
  }
  if (fault?.kind === 'error-event') {
    const error = new ProviderError(529, fault.message ?? messageOfStatus(529));
    await connection.write(module.errorEvent(error, requestId));
  }
  connection.end();
}
