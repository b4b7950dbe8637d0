/**
 * One of several processes that share a server: a client and a connection of its own, and a new engine for each run. It diagnoses
 * the calls that its parent sends. Words: the server's address, the client's package.
 */
import { createEngine } from '../../../src/diagnose.ts';
import type { Diagnosis } from '../../../src/diagnosis.ts';
import type { Engine } from '../../../src/engine.ts';
import type { Exchange } from '../../../src/exchange.ts';
import { redisHeads } from '../../../src/redis/index.ts';
import { ioRedis, nodeRedis } from '../support/clients.ts';

/** All calls of a run come one after the other. */
export interface Run {
  /** In front of the run's keys: nothing is there yet. */
  readonly prefix: string;
  readonly content: boolean;
}

export interface EngineTask {
  readonly run: Run;
  readonly exchange: Exchange;
}

/** `null` where the body cannot be read. */
export type EngineReply = { readonly diagnosis: Diagnosis | null } | { readonly error: string };

const [url = '', clientName] = process.argv.slice(2);
const { client } = await (clientName === 'ioredis' ? ioRedis : nodeRedis)(url);

let latest: Promise<Engine> | undefined;
let latestPrefix = '';

function engineOf({ prefix, content }: Run): Promise<Engine> {
  if (latest && latestPrefix === prefix) return latest;
  latestPrefix = prefix;
  latest = createEngine({ heads: redisHeads(client, { prefix, content, deadlineMs: 10_000 }) });
  return latest;
}

async function diagnose({ run, exchange }: EngineTask): Promise<Diagnosis | null> {
  const engine = await engineOf(run);
  const started = engine.start(exchange);
  await started.prepare?.(exchange.response);
  const call = started.finish(exchange.response);
  await engine.settled?.();
  return 'diagnosis' in call ? call.diagnosis : null;
}

const say = (reply: EngineReply) => process.send?.(reply);
process.on('message', (task: EngineTask) => {
  diagnose(task).then(
    (diagnosis) => say({ diagnosis }),
    (error) => say({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
