/**
 * The calls of each conversation dealt in turn to four instances that share one server: what they say is what one instance
 * says that sees all calls. Each has its own engine, its own heads and its own connection.
 *
 * Where texts are kept everything is equal. Where they are not, four things are by their nature not known of a text that only
 * another instance saw, and are said so: the byte, the excerpt, tokens read of the block that changed, and in the cases that
 * are listed here by name the words that a kind is told by.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tellStory } from '../../cli/demo/story.ts';
import { startWorld } from '../../cli/demo/world.ts';
import { createEngine } from '../../src/diagnose.ts';
import type { Diagnosis } from '../../src/diagnosis.ts';
import type { Engine } from '../../src/engine.ts';
import type { Exchange, ExchangeRequest } from '../../src/exchange.ts';
import type { HeadStore } from '../../src/lineage/shared/head-store.ts';
import { observeFetchWith } from '../../src/observe/observe-fetch.ts';
import { createRecorder } from '../../src/observe/recorder.ts';
import { redisHeads } from '../../src/redis/index.ts';
import { exchangesOf, labelledCases } from '../corpus/labelled-case.ts';
import { dealt, inOrder, undealt } from '../engine/support/dealt.ts';
import { DIFFERENT_WITHOUT_TEXT } from './different-without-text.ts';
import { ioRedis, nodeRedis, type TestClient } from './support/clients.ts';
import { NO_SERVER, SKIPPED, startRedis, type TestServer } from './support/redis-server.ts';

const CORPUS = ['public', 'variations'].flatMap((folder) =>
  labelledCases(`${import.meta.dirname}/../corpus/${folder}`),
);

let server: TestServer;
let clients: TestClient[];

describe.skipIf(NO_SERVER)(`four instances and one server${SKIPPED}`, () => {
  beforeAll(async () => {
    server = await startRedis();
    clients = await Promise.all(
      [nodeRedis, ioRedis, nodeRedis, ioRedis].map((connect) => connect(server.url)),
    );
  });
  afterAll(async () => {
    for (const { close } of clients) close();
    await server.stop();
  });

  let runs = 0;
  /** In a part of the server where nothing is yet. */
  const stores = (content: boolean): HeadStore[] => {
    runs += 1;
    const options = { prefix: `run${runs}:`, secret: 'of all four', content, deadlineMs: 10_000 };
    return clients.map(({ client }) => redisHeads(client, options));
  };

  it('say of the demo what one says, texts kept or not', async () => {
    const exchanges = await callsOfTheDemo();
    expect(exchanges).toHaveLength(41);
    const one = inOrder(await undealt(exchanges));
    const four = inOrder(await dealt(exchanges, stores(true)));
    expect(nearly(four, one)).toEqual(one);
    const fourWithoutText = inOrder(await dealt(exchanges, stores(false)));
    expect(nearly(fourWithoutText, one).map(withoutText)).toEqual(one.map(withoutText));
  }, 120_000);

  it('say of every labelled case what one says, where texts are kept', async () => {
    const different: string[] = [];
    for (const labelled of CORPUS) {
      const exchanges = await exchangesOf(labelled);
      const one = inOrder(await undealt(exchanges));
      const four = inOrder(await dealt(exchanges, stores(true)));
      if (JSON.stringify(four) !== JSON.stringify(one)) different.push(labelled.id);
    }
    expect(different).toEqual([]);
  }, 300_000);

  it('say of every labelled case what one says, as far as hashes and lengths tell, where texts are not kept', async () => {
    const different: string[] = [];
    for (const labelled of CORPUS) {
      const exchanges = await exchangesOf(labelled);
      const one = inOrder(await undealt(exchanges)).map(withoutText);
      const four = inOrder(await dealt(exchanges, stores(false)));
      expectNoClaims(four, one);
      if (JSON.stringify(four.map(withoutText)) !== JSON.stringify(one)) different.push(labelled.id);
    }
    expect(different.sort()).toEqual(Object.keys(DIFFERENT_WITHOUT_TEXT).sort());
  }, 300_000);
});

/**
 * How a total splits into parts is an estimate, calibrated by the calls that an instance has heard of: shares may differ by less
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

/** Not knowing is never a finding of its own: where one instance saw no change, four see none. */
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
