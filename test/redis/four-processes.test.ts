/**
 * The calls of each conversation dealt in turn to four processes that share one server: what they say is what one process
 * says that sees all calls. Two of them have one client, two the other.
 *
 * Where texts are kept everything is equal. Where they are not, four things are by their nature not known of a text that only
 * another process saw, and are said so: the byte, the excerpt, tokens read of the block that changed, and in the cases that
 * are listed here by name the words that a kind is told by.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tellStory } from '../../cli/demo/story.ts';
import { startWorld } from '../../cli/demo/world.ts';
import { createEngine } from '../../src/diagnose.ts';
import type { Diagnosis } from '../../src/diagnosis.ts';
import type { Engine } from '../../src/engine.ts';
import type { Exchange, ExchangeRequest } from '../../src/exchange.ts';
import { observeFetchWith } from '../../src/observe/observe-fetch.ts';
import { createRecorder } from '../../src/observe/recorder.ts';
import { exchangesOf, labelledCases } from '../corpus/labelled-case.ts';
import { inOrder, undealt } from '../engine/support/dealt.ts';
import { buildProgram, type Program } from '../store/child-process.ts';
import { DIFFERENT_WITHOUT_TEXT } from './different-without-text.ts';
import type { EngineReply, EngineTask } from './programs/engine-process.ts';
import { type AskedProcess, startProcess } from './support/processes.ts';
import { NO_SERVER, SKIPPED, startRedis, type TestServer } from './support/redis-server.ts';

const CORPUS = ['public', 'variations'].flatMap((folder) =>
  labelledCases(`${import.meta.dirname}/../corpus/${folder}`),
);

let server: TestServer;
let program: Program;
let processes: AskedProcess<EngineTask, EngineReply>[];

describe.skipIf(NO_SERVER)(`four processes and one server${SKIPPED}`, () => {
  beforeAll(async () => {
    [server, program] = await Promise.all([
      startRedis(),
      buildProgram(new URL('./programs/engine-process.ts', import.meta.url)),
    ]);
    const environment = { PREFIXTRACE_SECRET: 'of all four' };
    processes = await Promise.all(
      ['redis', 'ioredis', 'redis', 'ioredis'].map((client) =>
        startProcess<EngineTask, EngineReply>(program.file, [server.url, client], environment),
      ),
    );
  }, 60_000);
  afterAll(async () => {
    await Promise.all(processes.map(({ stop }) => stop()));
    program.remove();
    await server.stop();
  });

  let runs = 0;
  /** In a part of the server where nothing is yet. */
  const dealt = async (exchanges: readonly Exchange[], content: boolean): Promise<Diagnosis[]> => {
    runs += 1;
    const run = { prefix: `run${runs}:`, content };
    const diagnoses: Diagnosis[] = [];
    for (const [index, exchange] of exchanges.entries()) {
      const reply = await processes[index % processes.length]?.ask({ run, exchange });
      if (!reply || 'error' in reply) throw new Error(reply?.error);
      if (reply.diagnosis) diagnoses.push(reply.diagnosis);
    }
    return diagnoses;
  };

  it('are four, and none of them is this one', () => {
    const pids = new Set(processes.map(({ pid }) => pid));
    expect(pids.size).toBe(4);
    expect(pids).not.toContain(process.pid);
  });

  it('say of the demo what one says, texts kept or not', async () => {
    const exchanges = await callsOfTheDemo();
    expect(exchanges).toHaveLength(41);
    const one = inOrder(await undealt(exchanges));
    const four = inOrder(await dealt(exchanges, true));
    expect(nearly(four, one)).toEqual(one);
    const fourWithoutText = inOrder(await dealt(exchanges, false));
    expect(nearly(fourWithoutText, one).map(withoutText)).toEqual(one.map(withoutText));
  }, 120_000);

  it('say of every labelled case what one says, where texts are kept', async () => {
    const different: string[] = [];
    for (const labelled of CORPUS) {
      const exchanges = await exchangesOf(labelled);
      const one = inOrder(await undealt(exchanges));
      const four = inOrder(await dealt(exchanges, true));
      if (JSON.stringify(four) !== JSON.stringify(one)) different.push(labelled.id);
    }
    expect(different).toEqual([]);
  }, 300_000);

  it('say of every labelled case what one says, as far as hashes and lengths tell, where texts are not kept', async () => {
    const different: string[] = [];
    for (const labelled of CORPUS) {
      const exchanges = await exchangesOf(labelled);
      const one = inOrder(await undealt(exchanges)).map(withoutText);
      const four = inOrder(await dealt(exchanges, false));
      expectNoClaims(four, one);
      if (JSON.stringify(four.map(withoutText)) !== JSON.stringify(one)) different.push(labelled.id);
    }
    expect(different.sort()).toEqual(Object.keys(DIFFERENT_WITHOUT_TEXT).sort());
  }, 300_000);
});

/**
 * How a total splits into parts is an estimate, calibrated by the calls that a process has heard of: shares may differ by less
 * than a hundredth, and with them what another conversation could have read.
 */
function nearly(four: readonly Diagnosis[], one: readonly Diagnosis[]): Diagnosis[] {
  return four.map((call, index) => {
    const alone = one[index] as Diagnosis;
    const near = (mine: number | null, theirs: number | null) =>
      mine !== null && theirs !== null && Math.abs(mine - theirs) <= Math.max(2, theirs * 0.01)
        ? theirs
        : mine;
    const { shared, behind, rebilled, expectedRead } = call.tokens;
    const tokens = {
      ...call.tokens,
      shared: near(shared, alone.tokens.shared) as number,
      behind: near(behind, alone.tokens.behind) as number,
      rebilled: near(rebilled, alone.tokens.rebilled),
      expectedRead: near(expectedRead, alone.tokens.expectedRead),
    };
    const isNear = tokens.rebilled === alone.tokens.rebilled;
    const rebilledUsd = (isNear ? alone.cost?.rebilledUsd : call.cost?.rebilledUsd) ?? null;
    return { ...call, tokens, cost: call.cost && { ...call.cost, rebilledUsd } };
  });
}

/** What is known without the text: all but the byte, and what was read of the very block that changed. */
function withoutText({ divergence, tokens, ...rest }: Diagnosis): unknown {
  const { expectedRead: _expectedRead, ...known } = tokens;
  return { ...rest, divergence: divergence && { ...divergence, byteOffset: null }, tokens: known };
}

/** Not knowing is never a finding of its own: where one process saw no change, four see none. */
function expectNoClaims(four: readonly Diagnosis[], one: readonly unknown[]): void {
  const alone = one as readonly Pick<Diagnosis, 'divergence' | 'finding'>[];
  for (const [index, { divergence }] of four.entries()) {
    if (alone[index]?.divergence === null) expect(divergence).toBeNull();
  }
}

/** The demo through the hooks, as exchanges. */
async function callsOfTheDemo(): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  const inner = await createEngine();
  const engine: Engine = {
    start(request: ExchangeRequest) {
      const at = exchanges.push({ ...request }) - 1;
      const started = inner.start(request);
      return {
        finish(response) {
          exchanges[at] = { ...request, response };
          return started.finish(response);
        },
        abandon: () => started.abandon(),
      };
    },
  };
  const world = await startWorld();
  const sink = { open: () => ({ end() {} }), flush: async () => {}, shutdown: async () => {} };
  const recorder = createRecorder({ engine, sink, now: world.nowMs });
  await tellStory(
    world,
    observeFetchWith(globalThis.fetch, () => recorder),
  );
  await recorder.flush();
  await world.close();
  return exchanges;
}
