import { describe, expect, it } from 'vitest';
import { explain } from '../../cli/summary/explain.ts';
import { fixFirst, groupRow } from '../../cli/summary/group-row.ts';
import { hitRateHistory, sparkline } from '../../cli/summary/hit-rate-history.ts';
import { phraseFor } from '../../cli/summary/phrases.ts';
import { summarize } from '../../cli/summary/summary.ts';
import { possibleUsd, totalsOf } from '../../cli/summary/totals.ts';
import { cost, divergence, reportedCall, tokens, weddingCalls } from '../support/reported-calls.ts';

describe('totals', () => {
  it('leave calls without usage out of the hit rate instead of counting them as misses', () => {
    const calls = [
      reportedCall({ index: 0 }),
      reportedCall({ index: 1, tokens: tokens({ input: 1_000_000, cacheRead: null, cacheWrite: null }) }),
    ];
    expect(totalsOf(calls).hitRate).toBeCloseTo(0.95);
    expect(totalsOf(calls).callsWithoutUsage).toBe(1);
  });

  it('know no hit rate and no cost where nothing reports any', () => {
    const totals = totalsOf([
      reportedCall({
        index: 0,
        cost: null,
        tokens: tokens({ input: 10, cacheRead: null, cacheWrite: null }),
      }),
    ]);
    expect(totals.hitRate).toBeNull();
    expect(totals.usd.value).toBeNull();
    expect(possibleUsd(totals)).toBeNull();
  });

  it('say that a sum is partly unknown', () => {
    expect(totalsOf(weddingCalls()).usd).toMatchObject({ unknownCalls: 1 });
    expect(totalsOf(weddingCalls()).usd.value).toBeCloseTo(0.4186);
  });

  it('take only what a change of the request saves as avoidable', () => {
    const totals = totalsOf(weddingCalls());
    expect(totals.rebilledTokens.value).toBe(19_500 + 2 * 19_700 + 21_900);
    expect(totals.avoidableTokens.value).toBe(19_500 + 2 * 19_700);
  });

  it('do not call the price of a rejected request unknown', () => {
    const rejected = reportedCall({ index: 0, miss: 'request_rejected', cost: null });
    expect(totalsOf([rejected]).usd).toEqual({ value: 0, unknownCalls: 0, isEstimated: false });
  });
});

describe('groups', () => {
  const summary = summarize(weddingCalls());

  it('keep faults, circumstances and declared rebuilds apart, costliest first', () => {
    expect(summary.faults.map(({ cause }) => cause)).toEqual(['system.timestamp', 'tools.reordered']);
    expect(summary.circumstances.map(({ cause }) => cause)).toEqual(['ttl_expired']);
    expect(summary.declared.map(({ cause }) => cause)).toEqual(['compaction']);
  });

  it('put money before tokens, and tokens where no price is known', () => {
    const loss = (index: number, kind: string, rebilled: number, usd: number | null) =>
      reportedCall({
        index,
        finding: true,
        divergence: divergence({ kind, path: 'x' }),
        cost: cost(1, usd),
        tokens: tokens({ input: 9_999, rebilled }),
      });
    const { faults } = summarize([
      loss(0, 'tools.added', 10, null),
      loss(1, 'tools.removed', 20, null),
      loss(2, 'model.switched', 1, 0.5),
    ]);
    expect(faults.map(({ cause }) => cause)).toEqual(['model.switched', 'tools.removed', 'tools.added']);
    expect(faults[1]?.rebilledUsd.value).toBeNull();
  });

  it('leave out harmless divergences', () => {
    const harmless = reportedCall({
      index: 0,
      divergence: divergence({ kind: 'tools.added', path: 'tools[3]' }),
    });
    expect(summarize([harmless]).faults).toEqual([]);
  });

  it('count cache marks in the wrong place as a fault of the request', () => {
    expect(
      summarize([reportedCall({ index: 0, finding: true, miss: 'lookback_exceeded' })]).faults,
    ).toHaveLength(1);
  });

  it('say how many places one cause has', () => {
    const at = (index: number, path: string) =>
      reportedCall({ index, finding: true, divergence: divergence({ kind: 'messages.edited', path }) });
    const [group] = summarize([at(0, 'messages[1]'), at(1, 'messages[4]'), at(2, 'messages[4]')]).faults;
    expect(group && groupRow(group).place).toBe('messages[1] +1 · researcher');
  });

  it('name the longest pause before a lapse', () => {
    const [lapse] = summary.circumstances;
    expect(lapse && groupRow(lapse).place).toBe('40 min idle · researcher');
  });

  it('say what to fix first, and what that is of all', () => {
    expect(fixFirst(summary.faults, { usd: '$0.20', tokens: '58,900' })).toMatchObject({
      phrase: 'a clock in the system prompt',
      gain: '$0.14 of $0.20 avoidable',
      extent: '2 calls of researcher',
    });
    expect(fixFirst([], { usd: '', tokens: '' })).toBeNull();
  });
});

describe('one call in words', () => {
  it('names place, cause, cost, advice, what is hidden and what the provider says', () => {
    const call = weddingCalls()[2] ?? reportedCall({ index: 0 });
    expect(explain(call).map(({ name, text }) => `${name}: ${text}`)).toEqual([
      'at: tools[1].name, byte 0 · tool git__log',
      'why: the same tools in another order',
      'cost: 19,500 tokens billed again, $0.067 more than a cache read',
      'do: Send tools sorted by name.',
      'then: system.timestamp at system[0] (hidden behind this one)',
      'vendor: tools_changed, about 18,900 tokens · agrees',
    ]);
  });

  it('calls an unknown cost unknown', () => {
    const call = reportedCall({
      index: 0,
      finding: true,
      divergence: divergence({ kind: 'tools.added', path: 'tools' }),
      tokens: tokens({ input: 5, rebilled: null }),
    });
    expect(explain(call).find(({ name }) => name === 'cost')?.text).toBe(
      'unknown: the response reports no usage',
    );
  });

  it('marks estimated tokens', () => {
    const call = reportedCall({
      index: 0,
      divergence: divergence({ kind: 'tools.added', path: 'tools' }),
      cost: null,
      tokens: tokens({ input: 5, rebilled: 3, method: 'estimated' }),
    });
    expect(explain(call).find(({ name }) => name === 'cost')?.text).toMatch(/^~3 tokens .* no price known/);
  });

  it('has words for a cause that it does not know', () => {
    expect(phraseFor('messages.brand_new_cause')).toBe('brand new cause');
  });
});

describe('the hit rate over time', () => {
  it('shows calls without usage as a gap, not as a drop', () => {
    const calls = weddingCalls();
    expect(hitRateHistory(calls, 8).at(-1)).toBeNull();
    expect(sparkline([0, 1, 0.5, null])).toBe('▁█▅·');
  });
});
