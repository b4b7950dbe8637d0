/** Heads are bounded: thousands of conversations in little memory. */
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/diagnose.ts';
import { body, diagnosesOf, exchange, finished, messages } from './support/dialogue.ts';

const LONG = [
  'Which shards hold the orders table?',
  'Shards 1 to 6.',
  'How large is shard 3?',
  'It has 412 GB.',
  'Is the replica in sync?',
];
const said = (count: number) => messages(...LONG.slice(0, count));

describe('memory', () => {
  const LIMITS = { headsPerScope: 8, heads: 50, promptBytes: 20_000 };

  it('forgets the oldest conversations and still answers each of many', async () => {
    const engine = await createEngine({ headLimits: LIMITS });
    for (let index = 0; index < 1_000; index += 1) {
      const list = messages(`Question ${index} about table ${index}.`, `Answer ${index}.`, 'Thanks.');
      expect(
        finished(
          engine.start(exchange({ body: body(list.slice(0, 1)), scope: { thread: `t${index % 300}` } })),
        ).finding,
      ).toBe(false);
      expect(
        finished(engine.start(exchange({ body: body(list), scope: { thread: `t${index % 300}` } })))
          .divergence,
      ).toBeNull();
    }
  });

  it('does not grow with the number of conversations, nor with the calls of one', async () => {
    const { gc } = globalThis as { gc?: () => void };
    if (!gc) throw new Error('run with --expose-gc, as vitest.config.ts does');
    const engine = await createEngine({ headLimits: LIMITS });
    const text = (index: number) => `Question ${index} ${'about a table '.repeat(200)}`;
    const call = (index: number, list: ReturnType<typeof messages>, thread: string) =>
      finished(
        engine.start({
          ...exchange({ body: body(list), scope: { thread } }),
          body: JSON.stringify(body(list)),
        }),
        {
          ending: 'completed',
          status: 200,
          id: `m${index}`,
        },
      );
    const talk = (from: number, to: number) => {
      for (let index = from; index < to; index += 1) {
        call(index, messages(text(index)), `t${index}`);
        call(
          index + 1_000_000,
          messages(...Array.from({ length: 1 + (index % 40) }, (_, at) => text(at))),
          'one',
        );
      }
      gc();
      return process.memoryUsage().heapUsed;
    };
    const settled = talk(0, 500);
    // Fifteen hundred more rounds hold over 80 MB of prompts and bodies.
    expect(talk(500, 2_000) - settled).toBeLessThan(1_500_000);
  });

  it('points at the place, not at the byte, where the older text was dropped', async () => {
    const [, call] = await diagnosesOf(
      [
        { body: body(said(3)) },
        { body: body(messages('Which shards hold the invoices?', ...LONG.slice(1, 5))) },
      ],
      { headLimits: { promptBytes: 0 } },
    );
    expect(call).toMatchObject({
      baseline: 0,
      divergence: { component: 'messages', path: 'messages[0].content', byteOffset: null },
    });
  });
});
