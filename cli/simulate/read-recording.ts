/** Logs → the calls that can be simulated, and how many could not and why. */
import type { DiagnosedCall } from '../../src/diagnosis.ts';
import type { Exchange } from '../../src/exchange.ts';
import { fingerprintOf } from '../../src/fingerprint/fingerprint.ts';
import type { Hasher } from '../../src/fingerprint/hash.ts';
import { mayBeBaseline } from '../../src/lineage/head.ts';
import { readPrompt } from '../../src/prompt/read.ts';
import { readUsage } from '../../src/prompt/usage.ts';
import { UserError } from '../errors.ts';
import type { DiagnosedExchange } from '../sources/diagnose-logs.ts';
import type { RecordedCall } from './recorded-call.ts';

/** Each layout goes over all bodies anew, so they are held; a session of a day is a tenth of this. */
const MOST_CHARACTERS = 400_000_000;

export interface Recording {
  readonly calls: readonly RecordedCall[];
  /** The provider refused them or they failed: nothing was cached and nothing is billed. */
  readonly refusedCalls: number;
  /** The body holds only what is new: the rest of the prompt lies with the provider. */
  readonly partialCalls: number;
}

export async function readRecording(
  exchanges: AsyncIterable<DiagnosedExchange>,
  hasher: Hasher,
): Promise<Recording> {
  const calls: RecordedCall[] = [];
  let refusedCalls = 0;
  let partialCalls = 0;
  let characters = 0;
  for await (const { exchange, call } of exchanges) {
    const recorded = mayBeBaseline(exchange.response) ? recordedCall(exchange, call, hasher) : undefined;
    if (recorded === undefined) refusedCalls += 1;
    else if (recorded === null) partialCalls += 1;
    else {
      characters += recorded.request.body.length;
      if (characters > MOST_CHARACTERS)
        throw new UserError(
          'the recording is too long to be simulated in one go (400 MB of requests): give a part of it',
        );
      calls.push(recorded);
    }
  }
  return { calls, refusedCalls, partialCalls };
}

/** `null`: the body does not hold the whole prompt. */
function recordedCall(
  exchange: Exchange,
  { diagnosis, evidence }: DiagnosedCall,
  hasher: Hasher,
): RecordedCall | null {
  const reading = readPrompt(exchange);
  if ('unreadable' in reading || reading.prompt.missingHistory !== null) return null;
  const { response, ...request } = exchange;
  const { lengths, headLength } = fingerprintOf(reading.prompt, hasher);
  const characters = lengths.subarray(headLength).reduce((sum, length) => sum + length, 0);
  const { messages } = evidence.componentTokens;
  return {
    request: {
      ...request,
      body: typeof request.body === 'string' ? request.body : JSON.stringify(request.body),
    },
    firstByteAtMs: response?.firstByteAtMs ?? null,
    model: diagnosis.model,
    lineage: diagnosis.lineage,
    isFirstSight: diagnosis.baseline === null,
    inputTokens: diagnosis.tokens.input,
    messageRate: characters === 0 || messages === 0 ? null : messages / characters,
    method: diagnosis.tokens.method,
    usage: readUsage(request.api, response?.usage),
    usd: diagnosis.cost?.usd ?? null,
  };
}
