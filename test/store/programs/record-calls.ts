/**
 * Records `count` calls by the sink into the local store, then ends in the way that is asked for:
 *
 *   record-calls COUNT LABEL WAY
 *
 * `natural`: nothing more to do. `exit`: `process.exit(3)` right after the last call. `flush`: `flush()`, then waits to be
 * killed. `slow`: a call each few milliseconds, with flushes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createTelemetrySink } from '../../../src/telemetry/sink.ts';
import { diagnosedCall, exchangeRequest, exchangeResponse } from '../../support/diagnosed-call.ts';

const [count = '1', label = 'x', way = 'natural'] = process.argv.slice(2);
const sink = createTelemetrySink();
await sleep(20); // a model call takes longer

for (let index = 0; index < Number(count); index += 1) {
  const scope = { thread: `${label}-${index}`, phase: null, delegation: null };
  sink.open(exchangeRequest()).end(diagnosedCall({ index, scope }), exchangeResponse());
  if (way === 'slow') {
    await sleep(2);
    if (index % 20 === 0) await sink.flush();
  }
}

if (way === 'exit') process.exit(3);
if (way === 'flush') {
  await sink.flush();
  console.log('flushed');
  await sleep(60_000);
}
