/**
 * What `simulate` foretells, against a model server that is really sent the changed requests. The server compares
 * rendered text and shares no code with the engine or the simulation.
 */
import { describe, expect, it } from 'vitest';
import type { ChangeName } from '../../cli/simulate/changes/change.ts';
import { fitOf } from '../../cli/simulate/fit.ts';
import { changeMaker } from '../../cli/simulate/layouts.ts';
import { type PlayedCall as ForetoldCall, play } from '../../cli/simulate/play.ts';
import { readRecording } from '../../cli/simulate/read-recording.ts';
import type { RecordedCall } from '../../cli/simulate/recorded-call.ts';
import { createEngine } from '../../src/diagnose.ts';
import type { Api, JsonObject } from '../../src/exchange.ts';
import { loadHasher } from '../../src/fingerprint/hash.ts';
import { grown, openingOf } from '../engine/support/agent-script.ts';
import type { Conversation } from '../engine/support/conversation.ts';
import { type PlayedCall, Stage } from '../engine/support/played-agent.ts';
import { bodyOf, MINUTE_MS, PROVIDERS, type Provider } from '../engine/support/providers.ts';
import { type Random, randomOf } from '../engine/support/random.ts';

const CALLS = 8;

interface Step {
  readonly body: JsonObject;
  readonly waitMs: number;
}

/** A clock in the system prompt, tools in another order each time, and a pause that no short lifetime survives. */
function faultyAgent(provider: Provider, random: Random): Step[] {
  const steps: Step[] = [];
  let conversation = openingOf(random, { head: 5_000, question: 200 });
  for (let turn = 0; turn < CALLS; turn += 1) {
    if (turn > 0) conversation = grown(conversation, random);
    const [rules = '', ...others] = conversation.system;
    const faulty: Conversation = {
      ...conversation,
      tools: turn % 2 === 0 ? conversation.tools : [...conversation.tools].reverse(),
      system: [`It is 10:${10 + turn}, on a Monday.\n${rules}`, ...others],
    };
    steps.push({ body: bodyOf(provider, faulty), waitMs: turn === 5 ? 7 * MINUTE_MS : 5_000 });
  }
  return steps;
}

async function send(api: Api, steps: readonly Step[]): Promise<PlayedCall[]> {
  const stage = await Stage.open();
  const played: PlayedCall[] = [];
  for (const { body, waitMs } of steps) {
    stage.wait(waitMs);
    played.push(await stage.play(api, body));
  }
  return played;
}

async function recordingOf(
  api: Api,
  steps: readonly Step[],
  played: readonly PlayedCall[],
): Promise<readonly RecordedCall[]> {
  const engine = await createEngine();
  async function* exchanges() {
    for (const [index, { record, answer }] of played.entries()) {
      const request = { api, body: JSON.stringify(steps[index]?.body), atMs: record.atMs, scope: {} };
      const response = {
        ending: 'completed' as const,
        usage: answer.usage,
        firstByteAtMs: record.firstByteAtMs,
      };
      const call = engine.start(request).finish(response);
      if ('unreadable' in call) throw new Error(call.unreadable);
      yield { exchange: { ...request, response }, call };
    }
  }
  return (await readRecording(exchanges(), await loadHasher())).calls;
}

/** The bodies as the simulation saw them, sent to a server that has seen nothing. */
function changedSteps(
  calls: readonly RecordedCall[],
  names: readonly ChangeName[],
  foretold: readonly ForetoldCall[],
  steps: readonly Step[],
): Step[] {
  const changes = names.map(changeMaker(calls));
  return calls.map(({ request, lineage }, index) => {
    const { rules } = foretold[index] as ForetoldCall;
    const changed = { api: request.api, lineage, rules };
    const body = changes.reduce(
      (before, change) => (change.obstacle(changed) === null ? change.apply(before, changed) : before),
      JSON.parse(request.body) as JsonObject,
    );
    return { body, waitMs: (steps[index] as Step).waitMs };
  });
}

const LAYOUTS: readonly (readonly ChangeName[])[] = [
  [],
  ['tools-sorted'],
  ['tools-first-seen'],
  ['breakpoints-advised'],
  ['volatile-tail'],
  ['ttl-1h'],
  ['tools-sorted', 'volatile-tail'],
  ['tools-first-seen', 'breakpoints-advised', 'volatile-tail', 'ttl-1h'],
];

describe.each(Object.entries(PROVIDERS))('%s', (name, provider) => {
  it.each(LAYOUTS.map((names) => [names.join(' + ') || 'as it is', names] as const))(
    'reads and writes what is foretold: %s',
    async (_, names) => {
      const { api } = provider;
      const steps = faultyAgent(provider, randomOf(name.length * 7));
      const recorded = await recordingOf(api, steps, await send(api, steps));
      const foretold = play(recorded, names.map(changeMaker(recorded)), await loadHasher());
      const server = await send(api, changedSteps(recorded, names, foretold.calls, steps));
      const rows = foretold.calls.map(({ expected }, index) => ({
        foretold: [expected.cacheRead ?? 0, expected.cacheWrite ?? 0],
        actual: [
          server[index]?.record.cache?.readTokens ?? 0,
          server[index]?.record.cache?.writtenTokens ?? 0,
        ],
        input: expected.input,
      }));
      for (const { foretold: expected, actual, input } of rows)
        for (const [at, tokens] of actual.entries()) {
          const isWrittenUnbilled = at === 1 && !api.startsWith('anthropic') && provider.model !== 'gpt-5.6';
          if (!isWrittenUnbilled)
            expect(Math.abs((expected[at] ?? 0) - tokens), JSON.stringify(rows)).toBeLessThanOrEqual(
              Math.max(128, input * 0.05),
            );
        }
      if (names.length === 0) expect(fitOf(foretold.calls).off).toBeLessThan(0.05);
    },
  );
});
