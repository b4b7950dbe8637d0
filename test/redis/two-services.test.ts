/**
 * `startPrefixtrace({ heads })` in two processes, as a service runs behind a load balancer: real clients of the providers, a real
 * server, and the call before was made by the other process. What is looked at is what each wrote into its own store.
 */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readAll } from '../../cli/sources/call-source.ts';
import { localStoreSource } from '../../cli/sources/local-store.ts';
import type { ReportedCall } from '../../cli/summary/reported-call.ts';
import { type ModelServer, startModelServer } from '../../src/model-server/index.ts';
import { buildProgram, type Program } from '../store/child-process.ts';
import { temporaryDirectory } from '../store/store-fixture.ts';
import type { ServiceCall, ServiceReply, ServiceTask } from './programs/service.ts';
import { until } from './support/live.ts';
import { type AskedProcess, startProcess } from './support/processes.ts';
import { NO_SERVER, SKIPPED, startRedis, type TestServer } from './support/redis-server.ts';

interface Service {
  readonly process: AskedProcess<ServiceTask, ServiceReply>;
  /** What it has recorded, in the order of its calls. */
  calls(): Promise<ReportedCall[]>;
}

const RULES = 'You plan journeys by rail and answer with times, platforms and fares. '.repeat(120);
const OTHER_RULES = RULES.replace(/(fares\. You plan journeys by )rail/, '$1boat');
/** Both are equal so far. */
const SAME_BYTES = OTHER_RULES.indexOf('boat');

let program: Program;
let models: ModelServer;
let server: TestServer;
let services: Service[];
/** Holds all answers of the model back while it is pending. */
let held = Promise.resolve();

describe.skipIf(NO_SERVER)(`two processes of a service${SKIPPED}`, () => {
  beforeAll(async () => {
    [program, models] = await Promise.all([
      buildProgram(new URL('./programs/service.ts', import.meta.url)),
      // As a model does: what the heads say is there before the answer.
      startModelServer({ firstByteDelayMs: 60, beforeFirstByte: () => held }),
    ]);
  }, 60_000);
  afterAll(async () => {
    program.remove();
    await models.close();
  });
  beforeEach(async () => {
    models.reset();
    server = await startRedis();
  });
  afterEach(async () => {
    await Promise.all(services.splice(0).map(({ process }) => process.stop()));
    await server.stop();
  });

  const start = async (...words: string[]): Promise<void> => {
    services = await Promise.all(
      ['redis', 'ioredis'].map(async (client) => {
        const directory = join(temporaryDirectory(), '.prefixtrace');
        const environment = {
          ...{ PREFIXTRACE_DIR: directory, PREFIXTRACE_SECRET: 'of both' },
          ...{ OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_EXPORTER: '', OTEL_METRICS_EXPORTER: '' },
        };
        const args = [server.url, client, models.url, ...words];
        return {
          process: await startProcess<ServiceTask, ServiceReply>(program.file, args, environment),
          calls: () => readAll(localStoreSource(directory, 'test')),
        };
      }),
    );
  };
  const process = (index: number) => (services[index % 2] as Service).process;
  const calls = (index: number) => (services[index % 2] as Service).calls();

  /** Makes one call there and waits until it is recorded. */
  const tell = async (index: number, call: ServiceCall): Promise<string> => {
    await process(index).ask({ send: [call] });
    const { ids, errors } = await process(index).ask({ settle: true });
    expect(errors).toEqual([]);
    return ids[0] as string;
  };

  it.each(['anthropic', 'chat', 'responses'] as const)(
    'go on where the other left off, and say where a prompt changed that the other sent (%s)',
    async (api) => {
      await start();
      for (const rounds of [1, 2, 3, 4, 5]) {
        await tell(rounds, { api, thread: 'alternating', rounds, rules: rounds < 4 ? RULES : OTHER_RULES });
      }
      const odd = await calls(1);
      const even = await calls(2);
      expect(odd.map(({ turn }) => turn)).toEqual([1, 3, 5]);
      expect(even.map(({ turn }) => turn)).toEqual([2, 4]);
      expect(new Set([...odd, ...even].map(({ lineage }) => lineage)).size).toBe(1);
      expect(odd.map(({ divergence }) => divergence)).toEqual([null, null, null]);
      expect([...odd.slice(1), ...even.slice(0, 1)].map(({ outcome }) => outcome)).toEqual(
        Array(3).fill('hit'),
      );
      expect(even[1]).toMatchObject({ finding: true, divergence: { component: 'system', byteOffset: null } });
      expect([0, 1].map((index) => process(index).output())).toEqual(['', '']);
    },
  );

  it('say to the byte where a prompt changed that the other sent, where texts are kept', async () => {
    await start('content');
    for (const rounds of [1, 2, 3]) {
      const rules = rounds < 3 ? RULES : OTHER_RULES;
      await tell(rounds, { api: 'anthropic', thread: 'alternating', rounds, rules });
    }
    await tell(4, { api: 'anthropic', thread: 'alternating', rounds: 4, rules: RULES });
    const [, changed] = await calls(1);
    const [, changedBack] = await calls(2);
    for (const call of [changed, changedBack]) {
      expect(call).toMatchObject({ divergence: { path: 'system[0].text', byteOffset: SAME_BYTES } });
    }
    expect(changed?.excerpt?.after).toContain('boat');
    expect(changed?.excerpt?.before).toContain('rail');
  });

  it('know a history that a request only names, whoever asked before', async () => {
    await start();
    let previousResponse: string | undefined;
    for (const rounds of [0, 1, 2, 3]) {
      const call = { api: 'responses' as const, thread: 'named', rounds, rules: RULES, previousResponse };
      previousResponse = await tell(rounds, call);
    }
    const all = [...(await calls(0)), ...(await calls(1))];
    expect(all.map(({ turn }) => turn)).toEqual([1, 3, 2, 4]);
    expect(all.map(({ divergence }) => divergence)).toEqual([null, null, null, null]);
  });

  it('lose no call where the server dies in the middle of 1000, hear no error, and know each other again after', async () => {
    await start();
    const threads = Array.from({ length: 100 }, (_, index) => `conversation ${index}`);
    const round = (rounds: number) => async (index: number) =>
      process(index).ask({
        send: threads
          .filter((_, at) => (at + rounds + index) % 2 === 0)
          .map((thread) => ({ api: 'anthropic', thread, rounds, rules: RULES }) as const),
      });
    const settle = async () => {
      const replies = await Promise.all([0, 1].map((index) => process(index).ask({ settle: true })));
      expect(replies.flatMap(({ errors }) => errors)).toEqual([]);
      return replies.flatMap(({ ids }) => ids);
    };
    // What all of them begin with is in the cache before they start.
    await tell(0, { api: 'anthropic', thread: 'first', rounds: 1, rules: RULES });
    await Promise.all([0, 1].map(round(1)));
    expect(await settle()).toHaveLength(100);

    const arrived = models.requests.length;
    let release = () => {};
    held = new Promise((resolve) => {
      release = resolve;
    });
    for (let times = 1; times <= 10; times += 1) {
      // Half of them ask a server that is there, half one that is not; none has been answered.
      if (times === 6) await server.crash();
      await Promise.all([0, 1].map(round(2)));
      await until(() => models.requests.length === arrived + times * 100);
    }
    release();
    expect(await settle()).toHaveLength(1_000);
    const recorded = [...(await calls(0)), ...(await calls(1))];
    expect(recorded).toHaveLength(1_101);
    // Nothing changed in any of them: whatever was not known, no divergence was made of it.
    expect(new Set(recorded.map(({ divergence }) => divergence?.kind))).toEqual(new Set([undefined]));
    expect([0, 1].map((index) => process(index).output())).toEqual(['', '']);

    await server.restart();
    for (const index of [0, 1]) {
      while (!(await process(index).ask({ settle: true })).areHeadsReachable) await pause();
    }
    const thread = 'conversation 0';
    for (const rounds of [3, 4, 5, 6]) {
      await tell(rounds, { api: 'anthropic', thread, rounds, rules: rounds < 6 ? RULES : OTHER_RULES });
    }
    const [even, odd] = [(await calls(0)).slice(-2), (await calls(1)).slice(-2)];
    const [third, fifth] = odd as [ReportedCall, ReportedCall];
    const [fourth, sixth] = even as [ReportedCall, ReportedCall];
    const after = [third, fourth, fifth, sixth];
    expect(new Set(after.map(({ lineage }) => lineage)).size).toBe(1);
    expect(after.map(({ turn }) => turn - third.turn)).toEqual([0, 1, 2, 3]);
    expect([third, fourth, fifth].map(({ divergence }) => divergence)).toEqual([null, null, null]);
    expect(sixth).toMatchObject({ finding: true, divergence: { component: 'system' } });
  }, 120_000);
});

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
