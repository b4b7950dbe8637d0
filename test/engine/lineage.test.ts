/** Which call is compared with which, and what counts as the next one of a conversation. */
import { describe, expect, it } from 'vitest';
import { body, type Call, diagnosesOf, kinds, messages, places, SYSTEM, usage } from './support/dialogue.ts';

const LONG = [
  'Which shards hold the orders table?',
  'Shards 1 to 6.',
  'How large is shard 3?',
  'It has 412 GB.',
  'Is the replica in sync?',
  'The lag is 240 ms.',
  'Show the slow queries.',
];
const OTHER = [
  'Plan a wedding for eighty guests.',
  'Gladly. Which month?',
  'In June, near a lake.',
  'Here are three places.',
  'Take the second.',
];
const said = (count: number, from = LONG) => messages(...from.slice(0, count));

interface Row {
  readonly calls: readonly Call[];
  readonly places: readonly string[];
  readonly kinds: readonly (string | null)[];
}

const ROWS: Readonly<Record<string, Row>> = {
  'a conversation that grows is one lineage': {
    calls: [1, 3, 5, 7].map((count) => ({ body: body(said(count)) })),
    places: ['l1#1', 'l1#2<0', 'l1#3<1', 'l1#4<2'],
    kinds: [null, null, null, null],
  },
  'a rewind branches off where it goes back to, and is no divergence': {
    calls: [{ body: body(said(5)) }, { body: body(said(3)) }],
    places: ['l1#1', 'l2#1<0'],
    kinds: [null, null],
  },
  'after a rewind both lines go on': {
    calls: [
      { body: body(said(5)) },
      { body: body(messages(...LONG.slice(0, 4), 'How old is the backup?')) },
      { body: body(said(7)) },
      {
        body: body(
          messages(...LONG.slice(0, 4), 'How old is the backup?', 'Two hours.', 'Make another one.'),
        ),
      },
    ],
    places: ['l1#1', 'l2#1<0', 'l1#2<0', 'l2#2<1'],
    kinds: [null, null, null, null],
  },
  'a fork asks two questions about one history': {
    calls: [
      said(3),
      messages(...LONG.slice(0, 4), 'And shard 4?'),
      messages(...LONG.slice(0, 4), 'And shard 5?'),
    ].map((list) => ({ body: body(list) })),
    places: ['l1#1', 'l1#2<0', 'l2#1<1'],
    kinds: [null, null, null],
  },
  'a new conversation with the same tools and system is compared with its sibling and blamed for nothing': {
    calls: [{ body: body(said(3)) }, { body: body(said(1, OTHER)) }, { body: body(said(3, OTHER)) }],
    places: ['l1#1', 'l2#1<0', 'l2#2<1'],
    kinds: [null, null, null],
  },
  'a new conversation whose tools come in another order could have shared them': {
    calls: [
      { body: body(said(3)) },
      { body: body(said(1, OTHER), { tools: [...(body([]).tools as [])].reverse() }) },
    ],
    places: ['l1#1', 'l2#1<0'],
    kinds: [null, 'tools.reordered'],
  },
  'two agents that take turns are two lineages': {
    calls: [said(1), said(1, OTHER), said(3), said(3, OTHER), said(5), said(5, OTHER)].map((list) => ({
      body: body(list),
    })),
    places: ['l1#1', 'l2#1<0', 'l1#2<0', 'l2#2<1', 'l1#3<2', 'l2#3<3'],
    kinds: [null, null, null, null, null, null],
  },
  'a sub-agent with the same system does not become the next call of its parent': {
    calls: [
      { body: body(said(3)) },
      { body: body(messages('Find every use of the orders table and list the files.')) },
      { body: body(messages('Find every use of the orders table and list the files.', 'I look.', 'Go on.')) },
      { body: body(said(5)) },
    ],
    places: ['l1#1', 'l2#1<0', 'l2#2<1', 'l1#2<0'],
    kinds: [null, null, null, null],
  },
  'an edited opening is a divergence of the same conversation': {
    calls: [
      { body: body(said(5)) },
      { body: body(messages('Which shards hold the invoices table?', ...LONG.slice(1, 7))) },
    ],
    places: ['l1#1', 'l1#2<0'],
    kinds: [null, 'messages.edited'],
  },
  'a window that slides is a divergence of the same conversation': {
    calls: [{ body: body(said(5)) }, { body: body(said(7).slice(2)) }],
    places: ['l1#1', 'l1#2<0'],
    kinds: [null, 'messages.window_slid'],
  },
  'a compaction is a divergence of the same conversation': {
    calls: [
      { body: body(said(7)) },
      {
        body: body(
          messages('Summary of the conversation so far: shards were discussed.', 'Understood.', 'Go on.'),
        ),
      },
    ],
    places: ['l1#1', 'l1#2<0'],
    kinds: [null, 'messages.compacted'],
  },
  'two models that are asked the same in turn are each compared with their own call before': {
    calls: ['10:00', '10:05', '10:10'].flatMap((time) =>
      ['claude-opus-4-8', 'claude-sonnet-4-6'].map((model) => ({
        body: body(said(1), { model, system: `It is ${time}. ${SYSTEM}` }),
      })),
    ),
    places: ['l1#1', 'l1#2<0', 'l1#2<0', 'l1#3<1', 'l1#3<2', 'l1#4<3'],
    kinds: [null, 'model.switched', ...Array<string>(4).fill('system.timestamp')],
  },
  'another model on the same history is a switch, not a new conversation': {
    calls: [{ body: body(said(5)) }, { body: body(said(7), { model: 'claude-opus-4-8' }) }],
    places: ['l1#1', 'l1#2<0'],
    kinds: [null, 'model.switched'],
  },
  'a title asked under another head does not become the head of the conversation': {
    calls: [
      { body: body(said(3)) },
      {
        body: body([...said(3), ...messages('Give this conversation a title.')], {
          tools: [],
          system: 'You write titles of five words.',
        }),
      },
      { body: body(said(5)) },
    ],
    places: ['l1#1', 'l2#1<0', 'l1#2<0'],
    kinds: [null, 'tools.removed', null],
  },
};

describe('the baseline', () => {
  it.each(Object.entries(ROWS))('%s', async (_name, row) => {
    const diagnoses = await diagnosesOf(row.calls);
    expect({ places: places(diagnoses), kinds: kinds(diagnoses) }).toEqual({
      places: row.places,
      kinds: row.kinds,
    });
  });
});

describe('a side call and what follows it', () => {
  const title = 'You write a summary of conversations.';
  const summaryCall = {
    body: body(
      [...said(7), { role: 'assistant', content: 'Yes.' }, { role: 'user', content: 'Sum it all up.' }],
      { tools: [], system: title },
    ),
  };
  const rebuilt = {
    body: body(
      messages(
        'This session is being continued from a previous conversation: shards.',
        'Understood.',
        'Go on.',
      ),
    ),
  };

  it('a summary by another head, then the short history: an expected compaction and no finding', async () => {
    const diagnoses = await diagnosesOf([
      { body: body(said(7)), response: usage(0, 9_000) },
      { ...summaryCall, response: usage(0, 0, 9_000) },
      { ...rebuilt, response: usage(0, 2_000) },
    ]);
    expect(diagnoses[2]).toMatchObject({
      lineage: 'l1',
      turn: 2,
      divergence: { kind: 'messages.compacted' },
      expected: 'compaction',
      finding: false,
    });
  });

  it('a side call of another model is expected to read nothing', async () => {
    const side = { ...summaryCall, body: { ...summaryCall.body, model: 'claude-haiku-4-5' } };
    const diagnoses = await diagnosesOf([
      { body: body(said(7)), response: usage(0, 9_000) },
      { ...side, response: usage(0, 0, 9_000) },
    ]);
    expect(diagnoses[1]).toMatchObject({ lineage: 'l2', expected: 'side_call', finding: false });
  });

  it('a side call of the same model that dropped tools and system is a finding: it could have read all', async () => {
    const diagnoses = await diagnosesOf([
      { body: body(said(7)), response: usage(0, 9_000) },
      { ...summaryCall, response: usage(0, 0, 9_000) },
    ]);
    expect(diagnoses[1]).toMatchObject({ divergence: { component: 'tools' }, expected: null, finding: true });
  });
});

describe('a rebuild that the application declared', () => {
  it('is expected, with its reason, and no finding', async () => {
    const changed = {
      body: body(said(5), { system: `${SYSTEM} Answer in German.` }),
      expectedRebuild: 'language',
      response: usage(0, 9_000),
    };
    const [, call] = await diagnosesOf([{ body: body(said(3)), response: usage(0, 8_000) }, changed]);
    expect(call).toMatchObject({ divergence: { component: 'system' }, expected: 'language', finding: false });
  });

  it('says nothing where nothing happened', async () => {
    const [, call] = await diagnosesOf([
      { body: body(said(3), { cache_control: { type: 'ephemeral' } }), response: usage(0, 8_000) },
      {
        body: body(said(5), { cache_control: { type: 'ephemeral' } }),
        expectedRebuild: 'language',
        response: usage(8_000, 200),
      },
    ]);
    expect(call).toMatchObject({ divergence: null, expected: null, finding: false });
  });
});
