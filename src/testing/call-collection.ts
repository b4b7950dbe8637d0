/** Keeps what passes through an engine: each exchange with what was said of it, in the order in which calls began. */
import type { DiagnosedCall } from '../diagnosis.ts';
import type { Engine, Unreadable } from '../engine.ts';
import type { Exchange } from '../exchange.ts';
import type { RecordedCall } from './recorded-call.ts';

interface CollectedCall {
  readonly sequence: number;
  readonly exchange: Exchange;
  readonly result: DiagnosedCall | Unreadable;
}

export interface CallCollection {
  readonly engine: Engine;
  calls(): RecordedCall[];
}

export function collectCalls(engine: Engine): CallCollection {
  const collected: CollectedCall[] = [];
  let started = 0;
  return {
    engine: {
      start(request) {
        const sequence = started;
        started += 1;
        const call = engine.start(request);
        return {
          ...call,
          finish(response) {
            const result = call.finish(response);
            collected.push({ sequence, exchange: { ...request, response }, result });
            return result;
          },
        };
      },
    },
    calls() {
      const inOrder = [...collected].sort((a, b) => a.sequence - b.sequence);
      return inOrder.map((call) => recordedCall(call, inOrder));
    },
  };
}

function recordedCall({ exchange, result }: CollectedCall, all: readonly CollectedCall[]): RecordedCall {
  if ('unreadable' in result)
    return { exchange, diagnosis: null, unreadable: result.unreadable, excerpt: null, continues: null };
  const { diagnosis, evidence } = result;
  const before = all.findIndex(
    (other) =>
      'diagnosis' in other.result &&
      other.result.diagnosis.index === diagnosis.baseline &&
      other.result.diagnosis.lineage === diagnosis.lineage,
  );
  const continues = diagnosis.baseline === null || before < 0 ? null : before;
  return { exchange, diagnosis, unreadable: null, excerpt: evidence.excerpt, continues };
}
