/** The engine's promise to whoever calls it: one of two answers, never an exception. */
import { expect } from 'vitest';
import { createEngine } from '../../../src/diagnose.ts';
import type { Exchange } from '../../../src/exchange.ts';

const ODD = 'a number that JSON cannot say';

function withoutOddNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? ODD : value;
}

/** Starts and finishes the calls; fails where one throws or gives something that is neither of the two answers. */
export async function expectAnswers(calls: readonly Exchange[]): Promise<void> {
  const engine = await createEngine();
  for (const call of calls) {
    const answer = engine.start(call).finish(call.response);
    if ('unreadable' in answer) {
      expect(answer.unreadable).not.toBe('');
      continue;
    }
    expect(JSON.stringify(answer.diagnosis, withoutOddNumbers)).not.toContain(ODD);
    expect(answer.diagnosis.divergence?.byteOffset ?? 0).toBeGreaterThanOrEqual(0);
  }
}
