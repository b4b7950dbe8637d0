/** Many conversations that begin at once under one marked system prompt: the first ones read nothing. */
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/diagnose.ts';
import type { JsonObject } from '../../src/exchange.ts';

const RULES = 'You plan journeys by rail and answer with times, platforms and fares. '.repeat(120);
const MARK = { cache_control: { type: 'ephemeral' } };

function body(question: string, isSystemMarked: boolean): JsonObject {
  return {
    model: 'claude-sonnet-5',
    max_tokens: 16,
    system: [{ type: 'text', text: RULES, ...(isSystemMarked && MARK) }],
    messages: [{ role: 'user', content: [{ type: 'text', text: question, ...MARK }] }],
  };
}

/** All are sent before the first one is answered, and none finds anything in the cache. */
async function startedAtOnce(isSystemMarked: boolean) {
  const engine = await createEngine();
  const calls = Array.from({ length: 8 }, (_, index) =>
    engine.start({
      api: 'anthropic.messages',
      body: JSON.stringify(body(`To which platform, passenger ${index}?`, isSystemMarked)),
      atMs: Date.UTC(2026, 11, 1) + index,
      scope: {},
    }),
  );
  return calls.map((call, index) => {
    const called = call.finish({
      ending: 'completed',
      status: 200,
      firstByteAtMs: Date.UTC(2026, 11, 1) + 500 + index,
      usage: { input_tokens: 3, cache_creation_input_tokens: 2_100, cache_read_input_tokens: 0 },
    });
    if ('unreadable' in called) throw new Error(called.unreadable);
    return called.diagnosis;
  });
}

describe('conversations that start at once', () => {
  it('came too early for the entry where the part that they share has a mark of its own: no mark is to blame', async () => {
    const diagnoses = await startedAtOnce(true);
    expect(diagnoses.map(({ divergence }) => divergence)).toEqual(Array(8).fill(null));
    expect(diagnoses.map(({ miss }) => miss)).toEqual([null, ...Array(7).fill('concurrent_before_write')]);
  });

  it('are one where the only mark stands behind what each of them says differently', async () => {
    const kinds = (await startedAtOnce(false)).map(({ divergence }) => divergence?.kind);
    expect(kinds).toContain('breakpoints.volatile_block');
  });
});
