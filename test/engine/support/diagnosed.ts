/** Diagnoses of calls in order, by an engine that counts no tokens: loading a tokenizer for each of a thousand runs takes minutes. */
import { createEngine } from '../../../src/diagnose.ts';
import type { Diagnosis } from '../../../src/diagnosis.ts';
import type { Exchange } from '../../../src/exchange.ts';

export async function diagnosed(exchanges: Iterable<Exchange>): Promise<Diagnosis[]> {
  const engine = await createEngine();
  return [...exchanges].flatMap((exchange) => {
    const call = engine.start(exchange).finish(exchange.response);
    return 'diagnosis' in call ? [call.diagnosis] : [];
  });
}
