/** Scopes, declared and suggested; requests that hold only a part of their prompt. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/exchange.ts';
import { body, type Call, diagnosesOf, kinds, messages, places } from './support/dialogue.ts';

const LONG = [
  'Which shards hold the orders table?',
  'Shards 1 to 6.',
  'How large is shard 3?',
  'It has 412 GB.',
  'Is the replica in sync?',
];
const said = (count: number) => messages(...LONG.slice(0, count));

describe('a scope', () => {
  const edited = () => body(messages('Which shards hold the invoices?', ...LONG.slice(1, 5)));

  it('that was declared is a wall: an equal history in another thread is another conversation', async () => {
    const diagnoses = await diagnosesOf([
      { body: body(said(3)), scope: { thread: 'a' } },
      { body: body(said(5)), scope: { thread: 'b' } },
      { body: body(said(5)), scope: { thread: 'a' } },
    ]);
    expect(diagnoses.map(({ lineage }) => lineage)).toEqual(['l1', 'l2', 'l1']);
    expect(diagnoses[2]?.baseline).toBe(0);
  });

  it.each(['phase', 'delegation'] as const)(
    'that was declared is a wall between two values of %s',
    async (part) => {
      const diagnoses = await diagnosesOf([
        { body: body(said(3)), scope: { [part]: 'a' } },
        { body: edited(), scope: { [part]: 'b' } },
      ]);
      expect(diagnoses[1]).toMatchObject({ lineage: 'l2', turn: 1, divergence: null });
    },
  );

  it('that the traffic suggests is none: the conversation goes on under another session id', async () => {
    const diagnoses = await diagnosesOf([
      { body: body(said(3)), suggestedScope: { thread: 's1' } },
      { body: body(said(5)), suggestedScope: { thread: 's2' } },
    ]);
    expect(diagnoses[1]).toMatchObject({ lineage: 'l1', turn: 2, baseline: 0, scope: { thread: 's2' } });
  });

  it('that a member of the body suggests is read once and holds while the conversation grows', async () => {
    const calls = [1, 3, 5].map((count) => ({ body: { ...body(said(count)), user: 'u-7' } }));
    const threads = (await diagnosesOf(calls)).map(({ scope }) => scope.thread);
    expect(threads[0]).toMatch(/^user:[0-9a-f]{8}$/);
    expect(new Set(threads).size).toBe(1);
    const [other] = await diagnosesOf([{ body: { ...body(said(1)), user: 'u-8' } }]);
    expect(other?.scope.thread).not.toBe(threads[0]);
  });

  it('that the span around the call suggests is used where the body says nothing', async () => {
    const [named, unnamed] = await diagnosesOf([
      { body: body(said(1)), conversationId: 'c1' },
      { body: body(said(3)) },
    ]);
    expect([named?.scope.thread, unnamed?.scope.thread]).toEqual(['c1', null]);
  });

  it('that the traffic suggests decides between two heads that fit as well', async () => {
    const fork = (text: string, thread: string) => ({
      body: body(messages(...LONG.slice(0, 4), text)),
      suggestedScope: { thread },
    });
    const next = (thread: string) => ({
      body: body(messages(...LONG.slice(0, 4), 'A third?')),
      suggestedScope: { thread },
    });
    const forks = [{ body: body(said(3)) }, fork('One?', 'a'), fork('Two?', 'b')];
    for (const [thread, baseline] of [
      ['a', 1],
      ['b', 2],
    ] as const) {
      expect((await diagnosesOf([...forks, next(thread)]))[3]?.baseline).toBe(baseline);
    }
  });
});

describe('a request that names its history', () => {
  const responses = (fields: JsonObject, id: string): Call => ({
    api: 'openai.responses',
    body: { model: 'gpt-5.6', instructions: 'You help.', ...fields },
    response: { ending: 'completed', status: 200, id },
  });

  it('is put together from the calls that were seen', async () => {
    const diagnoses = await diagnosesOf([
      responses({ input: 'One?' }, 'r1'),
      responses({ input: 'Two?', previous_response_id: 'r1' }, 'r2'),
      responses({ input: 'Three?', previous_response_id: 'r2' }, 'r3'),
    ]);
    expect(places(diagnoses)).toEqual(['l1#1', 'l1#2<0', 'l1#3<1']);
    expect(kinds(diagnoses)).toEqual([null, null, null]);
  });

  it('shows a changed setting in the middle of its chain', async () => {
    const [, call] = await diagnosesOf([
      responses({ input: 'One?' }, 'r1'),
      responses({ input: 'Two?', instructions: 'You help much.', previous_response_id: 'r1' }, 'r2'),
    ]);
    expect(call).toMatchObject({
      baseline: 0,
      divergence: { component: 'system', leaf: 'instructions', byteOffset: 8 },
    });
  });

  it('is not compared where its history was not seen', async () => {
    const diagnoses = await diagnosesOf([
      responses({ input: 'One?' }, 'r1'),
      responses({ input: 'Two?', previous_response_id: 'unseen' }, 'r2'),
    ]);
    expect(diagnoses[1]).toMatchObject({ baseline: null, divergence: null, miss: null, finding: false });
  });
});
