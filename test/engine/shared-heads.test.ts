/** Heads that several engines share, in memory: the same answers, and nothing of what a prompt says. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/diagnose.ts';
import type { HeadStore } from '../../src/lineage/shared/head-store.ts';
import { memoryHeads } from '../../src/lineage/shared/memory-heads.ts';
import { exchangesOf, labelledCases } from '../corpus/labelled-case.ts';
import { dealt, inOrder, seenBy, undealt } from './support/dealt.ts';
import { body, exchange, messages } from './support/dialogue.ts';

const TALK = ['Where is Zanzibar?', 'East of Tanzania.', 'And Xanadu?', 'Nowhere at all.', 'A pity.'];
const said = (count: number, system = 'Answer like a quokka.') => ({
  ...body(messages(...TALK.slice(0, count))),
  system,
});

describe('heads that engines share', () => {
  it('say of every public case what one engine says, where texts are kept and accounts compare', async () => {
    const different: string[] = [];
    for (const labelled of labelledCases(join(import.meta.dirname, '../corpus/public'))) {
      const exchanges = await exchangesOf(labelled);
      const store = { ...memoryHeads({ keepsContent: true }), accountKey: new Uint8Array(32) };
      const four = inOrder(await dealt(exchanges, seenBy(store, 4)));
      if (JSON.stringify(four) !== JSON.stringify(inOrder(await undealt(exchanges))))
        different.push(labelled.id);
    }
    expect(different).toEqual([]);
  });

  it.each([false, true])(
    'hold the words of a prompt only where that is asked for (%s)',
    async (keepsContent) => {
      const store = memoryHeads({ keepsContent });
      await dealt([exchange({ body: said(5), scope: { thread: 't' } })], [store]);
      const place = { pool: '["anthropic.messages",null]', scope: '["t",null]' };
      const { heads, chunks } = await store.candidates({ ...place, opening: '', chunks: [], name: null });
      expect(heads).toHaveLength(1);
      const bytes = Buffer.concat([...heads.map(({ record }) => record), ...chunks.values()]).toString(
        'latin1',
      );
      for (const word of ['Zanzibar', 'Tanzania', 'Xanadu', 'pity', 'quokka']) {
        expect(bytes.includes(word)).toBe(keepsContent);
      }
    },
  );

  it('do not keep a call waiting: an answer that does not come is done without', async () => {
    const never = new Promise<never>(() => {});
    const silent: HeadStore = { ...memoryHeads(), candidates: () => never, commit: () => never };
    const engine = await createEngine({ heads: silent });
    const turns = [1, 3, 5].map((count) => {
      const call = engine.start(exchange({ body: said(count) })).finish({ ending: 'completed', status: 200 });
      return 'diagnosis' in call ? call.diagnosis.turn : undefined;
    });
    expect(turns).toEqual([1, 2, 3]);
  });

  it('that fail are done without, too', async () => {
    const fail = () => Promise.reject(new Error('a store that breaks its word'));
    const broken: HeadStore = { ...memoryHeads(), candidates: fail, siblings: fail, commit: fail };
    const [, second] = await dealt(
      [exchange({ body: said(3) }), exchange({ body: said(5, 'Answer like a wombat.') })],
      [broken],
    );
    expect(second).toMatchObject({ turn: 2, divergence: { component: 'system', byteOffset: 14 } });
  });

  it('say where a text changed that another engine saw, and that the byte is not known', async () => {
    const calls = [exchange({ body: said(3) }), exchange({ body: said(5, 'Answer like a wombat.') })];
    const [, second] = await dealt(calls, seenBy(memoryHeads(), 2));
    expect(second).toMatchObject({
      turn: 2,
      finding: true,
      divergence: { component: 'system', path: 'system', byteOffset: null },
    });
  });
});
