/** Calls by hand: an agent with a planner and a researcher, one of each sort of loss. Figures add up. */

import type { ReportedCall } from '../../cli/summary/reported-call.ts';
import type { Divergence, LayoutRun } from '../../src/diagnosis.ts';

process.env.TZ = 'UTC';

const START_MS = Date.parse('2026-11-30T10:00:00.000Z');

export function divergence(fields: Partial<Divergence> & Pick<Divergence, 'kind' | 'path'>): Divergence {
  return {
    component: fields.kind.split('.')[0] as Divergence['component'], // kinds begin with their component
    leaf: fields.path,
    byteOffset: 0,
    label: '',
    also: [],
    advice: 'Keep it as it was.',
    ...fields,
  };
}

/** A call that read all but the newest tokens, unless told otherwise. */
export function reportedCall(fields: Partial<ReportedCall> & { readonly index: number }): ReportedCall {
  return {
    id: `call-${fields.index}`,
    source: null,
    at: new Date(START_MS + fields.index * 10_000).toISOString(),
    api: 'anthropic.messages',
    model: 'claude-sonnet-5',
    scope: { thread: 'wedding-42', phase: 'researcher', delegation: null },
    lineage: 'l1',
    turn: fields.index + 1,
    baseline: fields.index === 0 ? null : fields.index - 1,
    divergence: null,
    miss: null,
    expected: null,
    outcome: 'hit',
    certainty: 'observed',
    finding: false,
    tokens: tokens({ input: 20_000, cacheRead: 19_000, cacheWrite: 900 }),
    cost: cost(0.0117, 0),
    provider: null,
    outputTokens: null,
    durationMs: 4_000,
    timeToFirstByteMs: 600,
    layout: layout(19_000, 1_000),
    floor: null,
    change: null,
    lifetimeMs: 300_000,
    excerpt: null,
    ...fields,
  };
}

export function tokens(
  fields: Partial<ReportedCall['tokens']> & { readonly input: number },
): ReportedCall['tokens'] {
  const { input, cacheRead = 0, cacheWrite = 0 } = fields;
  return {
    cacheRead,
    cacheWrite,
    uncached: input - (cacheRead ?? 0) - (cacheWrite ?? 0),
    expectedRead: cacheRead,
    shared: cacheRead ?? 0,
    behind: 0,
    rebilled: 0,
    method: 'usage',
    ...fields,
  };
}

export function cost(usd: number | null, rebilledUsd: number | null): ReportedCall['cost'] {
  return { usd, rebilledUsd, priceModel: 'claude-sonnet-5', priceDate: '2026-11-20' };
}

function layout(shared: number, rest: number): LayoutRun[] {
  return [
    { component: 'tools', tokens: 1_200, segments: 3, shared: true },
    { component: 'system', tokens: 3_000, segments: 2, shared: true },
    { component: 'messages', tokens: Math.max(0, shared - 4_200), segments: 9, shared: true },
    { component: 'messages', tokens: rest, segments: 2, shared: false },
  ];
}

const broken = { outcome: 'partial', finding: true } as const;

export function weddingCalls(): ReportedCall[] {
  return [
    reportedCall({
      index: 0,
      outcome: 'miss',
      tokens: tokens({ input: 18_000, cacheWrite: 17_900, shared: 0 }),
      cost: cost(0.0674, 0),
      layout: layout(0, 18_000),
    }),
    reportedCall({ index: 1 }),
    reportedCall({
      index: 2,
      ...broken,
      divergence: divergence({
        kind: 'tools.reordered',
        path: 'tools[1]',
        leaf: 'tools[1].name',
        label: 'tool git__log',
        advice: 'Send tools sorted by name.',
        also: [{ component: 'system', kind: 'system.timestamp', path: 'system[0]' }],
      }),
      tokens: tokens({
        input: 21_000,
        cacheRead: 400,
        cacheWrite: 20_500,
        expectedRead: 19_900,
        shared: 400,
        behind: 20_600,
        rebilled: 19_500,
      }),
      cost: cost(0.0771, 0.0673),
      provider: { reason: 'tools_changed', tokens: 18_900, agrees: true },
      layout: [
        { component: 'tools', tokens: 400, segments: 1, shared: true },
        { component: 'tools', tokens: 800, segments: 2, shared: false },
        { component: 'system', tokens: 3_000, segments: 2, shared: false },
        { component: 'messages', tokens: 16_800, segments: 11, shared: false },
      ],
    }),
    ...[3, 4].map((index) =>
      reportedCall({
        index,
        ...broken,
        divergence: divergence({
          kind: 'system.timestamp',
          path: 'system[0]',
          leaf: 'system[0].text',
          byteOffset: 22,
          label: 'system block 1',
          advice: 'Move it behind the last mark, or into the newest user message.',
        }),
        tokens: tokens({
          input: 22_000,
          cacheRead: 1_200,
          cacheWrite: 20_700,
          expectedRead: 20_900,
          shared: 1_260,
          behind: 20_740,
          rebilled: 19_700,
        }),
        cost: cost(0.0783, 0.068),
      }),
    ),
    reportedCall({
      index: 5,
      at: new Date(START_MS + 41 * 60_000).toISOString(),
      outcome: 'miss',
      finding: true,
      miss: 'ttl_expired',
      tokens: tokens({
        input: 23_000,
        cacheWrite: 22_900,
        expectedRead: 21_900,
        shared: 22_000,
        rebilled: 21_900,
      }),
      cost: cost(0.0862, 0.0756),
    }),
    reportedCall({
      index: 6,
      at: new Date(START_MS + 42 * 60_000).toISOString(),
      expected: 'compaction',
      outcome: 'partial',
      divergence: divergence({ kind: 'messages.compacted', path: 'messages[0]' }),
      tokens: tokens({ input: 9_000, cacheRead: 4_200, cacheWrite: 4_700, behind: 4_800, rebilled: 4_800 }),
      cost: cost(0.0192, 0.0166),
    }),
    reportedCall({
      index: 7,
      at: new Date(START_MS + 43 * 60_000).toISOString(),
      lineage: 'l2',
      turn: 1,
      baseline: null,
      model: 'unpriced-model',
      scope: { thread: 'wedding-42', phase: 'planner', delegation: null },
      outcome: 'unknown',
      certainty: 'unknown',
      tokens: tokens({
        input: 2_000,
        cacheRead: null,
        cacheWrite: null,
        uncached: null,
        expectedRead: null,
        method: 'estimated',
      }),
      cost: null,
    }),
  ];
}
