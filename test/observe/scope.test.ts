import { describe, expect, it } from 'vitest';
import {
  declaredScope,
  expectRebuild,
  mergeScopes,
  takeExpectedRebuild,
  withScope,
} from '../../src/observe/scope.ts';

describe('withScope', () => {
  it('returns what the function returns, and throws what it throws', () => {
    expect(withScope({ thread: 'a' }, () => 7)).toBe(7);
    const boom = new Error('boom');
    expect(() =>
      withScope({}, () => {
        throw boom;
      }),
    ).toThrow(boom);
  });

  it('merges nested scopes, the inner part wins, and ends with the function', async () => {
    await withScope({ thread: 'a', phase: 'planner' }, async () => {
      await withScope({ phase: 'worker', delegation: 'd' }, async () => {
        await Promise.resolve();
        expect(declaredScope()).toEqual({ thread: 'a', phase: 'worker', delegation: 'd' });
      });
      expect(declaredScope()).toEqual({ thread: 'a', phase: 'planner' });
    });
    expect(declaredScope()).toEqual({});
  });

  it('ignores parts that are no text instead of failing the host', () => {
    expect(mergeScopes({ thread: 'a' }, { thread: 7, phase: '' } as object)).toEqual({ thread: 'a' });
  });
});

describe('expectRebuild', () => {
  it('is taken once', () => {
    withScope({ thread: 'a' }, () => {
      expectRebuild('compaction');
      expect(takeExpectedRebuild()?.reason).toBe('compaction');
      expect(takeExpectedRebuild()).toBeUndefined();
    });
  });

  it('reaches a call in an inner phase, but no sub-agent and no other conversation', () => {
    withScope({ thread: 'a' }, () => {
      expectRebuild('compaction');
      expect(withScope({ delegation: 'd' }, takeExpectedRebuild)).toBeUndefined();
      expect(withScope({ thread: 'b' }, takeExpectedRebuild)).toBeUndefined();
      expect(withScope({ phase: 'planner' }, takeExpectedRebuild)?.reason).toBe('compaction');
    });
  });

  it('comes back when the attempt that took it has failed, unless another was announced', () => {
    withScope({ thread: 'a' }, () => {
      expectRebuild('first');
      takeExpectedRebuild()?.giveBack();
      const taken = takeExpectedRebuild();
      expect(taken?.reason).toBe('first');
      expectRebuild('second');
      taken?.giveBack();
      expect(takeExpectedRebuild()?.reason).toBe('second');
    });
  });

  it('works outside any scope', () => {
    expectRebuild('edited history');
    expect(takeExpectedRebuild()?.reason).toBe('edited history');
  });
});
