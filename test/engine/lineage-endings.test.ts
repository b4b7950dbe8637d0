/** Calls that fail, never end or run together. */
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/diagnose.ts';
import type { ExchangeResponse } from '../../src/exchange.ts';
import { body, diagnosesOf, exchange, finished, kinds, messages, places } from './support/dialogue.ts';

const LONG = [
  'Which shards hold the orders table?',
  'Shards 1 to 6.',
  'How large is shard 3?',
  'It has 412 GB.',
  'Is the replica in sync?',
];
const said = (count: number) => messages(...LONG.slice(0, count));

describe('a call that failed', () => {
  const edited = body(messages('Something else altogether.', 'Well.', 'And more.'));

  it.each<[string, ExchangeResponse]>([
    ['was refused', { ending: 'failed', status: 400 }],
    ['met an overloaded server', { ending: 'failed', status: 529 }],
    ['broke before its usage was known', { ending: 'failed' }],
  ])('and %s is never a baseline', async (_name, response) => {
    const diagnoses = await diagnosesOf([
      { body: body(said(3)) },
      { body: body(said(5), { system: 'Broken.' }), response },
      { body: edited, response },
      { body: body(said(5)) },
    ]);
    expect(diagnoses[3]).toMatchObject({ baseline: 0, divergence: null, lineage: 'l1', turn: 2 });
  });

  it('may be sent again and continues the same conversation each time', async () => {
    const failed = { ending: 'failed', status: 529 } as const;
    const diagnoses = await diagnosesOf([
      { body: body(said(3)) },
      ...[failed, failed, undefined].map((response) => ({ body: body(said(5)), response })),
    ]);
    expect(places(diagnoses)).toEqual(['l1#1', 'l1#2<0', 'l1#2<0', 'l1#2<0']);
    expect(kinds(diagnoses)).toEqual([null, null, null, null]);
  });

  it('is a baseline where the caller left after the answer had begun', async () => {
    const diagnoses = await diagnosesOf([
      { body: body(said(3)), response: { ending: 'canceled', status: 200 } },
      { body: body(said(5)) },
    ]);
    expect(diagnoses[1]).toMatchObject({ baseline: 0, turn: 2 });
  });
});

describe('a call that never ends', () => {
  it('is forgotten when it is abandoned', async () => {
    const engine = await createEngine();
    finished(engine.start(exchange({ body: body(said(3)) })));
    engine.start(exchange({ body: body(said(5)) })).abandon();
    expect(finished(engine.start(exchange({ body: body(said(5)) })))).toMatchObject({ baseline: 0, turn: 2 });
  });

  it('answers a second finish with words, not with a second diagnosis', async () => {
    const engine = await createEngine();
    const call = engine.start(exchange({ body: body(said(3)) }));
    finished(call);
    expect(call.finish(undefined)).toMatchObject({ unreadable: expect.any(String) });
  });

  it('leaves the finished calls of its conversation comparable', async () => {
    const engine = await createEngine();
    finished(engine.start(exchange({ body: body(said(1)) })));
    engine.start(exchange({ body: body(said(3), { system: 'Another system prompt, never answered.' }) }));
    expect(finished(engine.start(exchange({ body: body(said(3)) })))).toMatchObject({
      baseline: 0,
      divergence: null,
    });
  });
});

describe('calls that run together', () => {
  it('from one finished call each continue that call', async () => {
    const engine = await createEngine();
    finished(engine.start(exchange({ body: body(said(2)) })));
    const lanes = ['One?', 'Two?', 'Three?'].map((text) =>
      engine.start(exchange({ body: body(messages(...LONG.slice(0, 2), text)) })),
    );
    for (const lane of lanes) expect(finished(lane)).toMatchObject({ divergence: null, finding: false });
  });

  it('may end in any order', async () => {
    const engine = await createEngine();
    const [first, second] = [said(1), said(3)].map((list) => engine.start(exchange({ body: body(list) })));
    expect(second && finished(second)).toMatchObject({ baseline: 0, divergence: null });
    expect(first && finished(first)).toMatchObject({ baseline: null, divergence: null });
    expect(finished(engine.start(exchange({ body: body(said(5)) })))).toMatchObject({
      baseline: 1,
      divergence: null,
    });
  });
});
