import { describe, expect, it } from 'vitest';
import {
  type FindWindow,
  fullnessHistory,
  type WindowUse,
  windowUses,
} from '../../cli/summary/context-window.ts';
import { loadModelWindows } from '../../cli/summary/model-windows.ts';
import { callsByIndex, type ReportedCall } from '../../cli/summary/reported-call.ts';
import { summarize } from '../../cli/summary/summary.ts';
import { divergence, reportedCall, tokens } from '../support/reported-calls.ts';

const WINDOWS: FindWindow = (model) => {
  if (model === 'claude-sonnet-5') return { tokens: 100_000, dearerAboveTokens: null };
  return model === 'dearer' ? { tokens: 1_000_000, dearerAboveTokens: 272_000 } : null;
};

function uses(calls: readonly ReportedCall[], findWindow = WINDOWS): WindowUse[] {
  return windowUses(summarize(calls).lineages, callsByIndex(calls), findWindow);
}

function only(calls: readonly ReportedCall[], findWindow?: FindWindow): WindowUse {
  const [use, ...others] = uses(calls, findWindow);
  if (use === undefined || others.length > 0) throw new Error(`${others.length} lineages too many`);
  return use;
}

type Fields = Partial<Omit<ReportedCall, 'tokens' | 'index'>>;

/** A lineage whose calls have prompts of these lengths. */
function lineage(...prompts: readonly (readonly [inputTokens: number, fields?: Fields])[]): ReportedCall[] {
  return prompts.map(([input, fields], index) =>
    reportedCall({
      index,
      ...fields,
      tokens: tokens({ input, rebilled: 1_000 }),
    }),
  );
}

const COMPACTED: Fields = {
  expected: 'compaction',
  divergence: divergence({ kind: 'messages.compacted', path: 'messages[0]' }),
};
const CLEARED: Fields = {
  divergence: divergence({ kind: 'messages.tool_result_cleared', path: 'messages[3]' }),
};

describe('how full the window was', () => {
  it('is the input of each call among the tokens of the window of its model', () => {
    const use = only(lineage([10_000], [60_000], [90_000], [30_000, COMPACTED]));
    expect(use.fullness).toEqual([0.1, 0.6, 0.9, 0.3]);
    expect(use.fullest).toMatchObject({ call: { index: 2 }, fullness: 0.9 });
  });

  it('is unknown for a model whose window is unknown, and the longest prompt still told', () => {
    const use = only(lineage([10_000, { model: 'nobody' }], [60_000, { model: null }]));
    expect(use.fullness).toEqual([null, null]);
    expect(use.fullest).toMatchObject({ call: { index: 1 }, fullness: null });
    expect(use.windows).toEqual([]);
  });

  it('is unknown from the first call on where one took more than the listed window', () => {
    const use = only(lineage([50_000], [140_000], [60_000, COMPACTED]));
    expect(use.outgrown).toEqual(['claude-sonnet-5']);
    expect(use.fullness).toEqual([null, null, null]);
    expect(use.cuts).toMatchObject([{ fullness: null, isEarly: null }]);
  });

  it('is not called into question by a prompt that was too long and so rejected', () => {
    const use = only(lineage([50_000], [140_000, { miss: 'request_rejected' }]));
    expect(use.outgrown).toEqual([]);
    expect(use.fullness[0]).toBe(0.5);
  });

  it('keeps the peak of each step where there is little room', () => {
    const use = only(lineage([10_000], [90_000], [20_000], [30_000]));
    expect(fullnessHistory(use, 2)).toEqual([0.9, 0.3]);
    expect(fullnessHistory(use, 60)).toHaveLength(4);
  });
});

describe('a cut of the history', () => {
  it('is early below half of the window and in time from there on', () => {
    const verdict = (before: number) =>
      only(lineage([before], [20_000, COMPACTED])).cuts.map(({ isEarly }) => isEarly);
    expect([verdict(49_999), verdict(50_000)]).toEqual([[true], [false]]);
  });

  it('is in time where the price of the whole prompt was about to rise', () => {
    const model = 'dearer';
    const [use] = uses(lineage([200_000, { model }], [20_000, { ...COMPACTED, model }]));
    expect(use?.cuts).toMatchObject([{ fullness: 0.2, isEarly: false }]);
  });

  it('says how full the window was, from what to what, and what the cut billed again', () => {
    const [cut] = only(lineage([80_000], [90_000], [30_000, COMPACTED])).cuts;
    expect(cut).toMatchObject({
      kind: 'compaction',
      cause: 'compaction',
      tokensBefore: 90_000,
      tokensAfter: 30_000,
      fullness: 0.9,
      isEarly: false,
      lossOf: null,
      call: { index: 2, tokens: { rebilled: 1_000 } },
    });
  });

  it('is also an edit of the context that makes the prompt no shorter', () => {
    const { cuts } = only(lineage([40_000], [41_000, CLEARED]));
    expect(cuts).toMatchObject([
      { kind: 'context_edit', cause: 'messages.tool_result_cleared', isEarly: true },
    ]);
  });

  it('is found behind another divergence, whose loss it then is', () => {
    const clock = divergence({
      kind: 'system.timestamp',
      path: 'system[0]',
      also: [{ component: 'messages', kind: 'messages.compacted', path: 'messages[0]' }],
    });
    const { cuts } = only(lineage([90_000], [30_000, { divergence: clock, finding: true }]));
    expect(cuts).toMatchObject([
      { kind: 'compaction', cause: 'messages.compacted', lossOf: 'system.timestamp' },
    ]);
  });

  it('is a drop, never called early, where the prompt lost most of its length and nothing says why', () => {
    expect(only(lineage([40_000], [19_000])).cuts).toMatchObject([
      { kind: 'drop', cause: null, isEarly: null, fullness: 0.4 },
    ]);
    expect(only(lineage([40_000], [21_000])).cuts).toEqual([]);
  });

  it.each<[string, Fields]>([
    ['another model', { model: 'claude-haiku-4-5' }],
    ['fewer tools', { divergence: divergence({ kind: 'tools.removed', path: 'tools[0]' }) }],
    ['thinking that the provider drops', { miss: 'server_strips_thinking' }],
    ['another conversation that it is compared with', { lineage: 'l2' }],
    ['nothing to compare it with', { baseline: null }],
  ])('is not seen in a shorter prompt that comes from %s', (_, fields) => {
    const found = uses(lineage([40_000], [5_000, fields]));
    expect(found.flatMap(({ cuts }) => cuts)).toEqual([]);
  });

  it('is not seen where one length is measured and the other estimated', () => {
    const [before, after] = lineage([40_000], [5_000]);
    if (!before || !after) throw new Error('two calls');
    const estimated = { ...after, tokens: { ...after.tokens, method: 'estimated' as const } };
    expect(only([before, estimated]).cuts).toEqual([]);
  });
});

describe('the order of lineages', () => {
  it('puts those first whose history was cut early', () => {
    const calm = lineage([90_000], [91_000]);
    const cut = lineage([20_000], [5_000, COMPACTED]).map((call) => ({
      ...call,
      index: call.index + 2,
      lineage: 'l2',
      baseline: call.baseline === null ? null : call.baseline + 2,
    }));
    expect(uses([...calm, ...cut]).map(({ lineage: { name } }) => name)).toEqual(['l2', 'l1']);
  });
});

describe('sizes of windows', () => {
  it('come from the price table, for the very model that was asked for', async () => {
    const find = await loadModelWindows();
    expect(find('claude-haiku-4-5', null)?.tokens).toBe(200_000);
    expect(find('claude-sonnet-4-5-20250929', null)?.tokens).toBe(200_000);
    expect(find('gpt-5.6-sol', null)).toEqual({ tokens: 1_050_000, dearerAboveTokens: 271_999 });
  });

  it('are unknown for what the table only resembles or does not know', async () => {
    const find = await loadModelWindows();
    expect(find('claude-sonnet-5-5', Date.parse('2026-12-01'))).toBeNull();
    expect(find('gpt-6.1-sol', null)).toBeNull();
    expect(find('a-model-of-my-own', null)).toBeNull();
  });
});
