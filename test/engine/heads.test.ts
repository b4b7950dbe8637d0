import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../src/fingerprint/fingerprint.ts';
import { loadHasher } from '../../src/fingerprint/hash.ts';
import { type Head, headFacts, IN_FLIGHT } from '../../src/lineage/head.ts';
import { Heads } from '../../src/lineage/heads.ts';
import { readPrompt } from '../../src/prompt/read.ts';

const hasher = await loadHasher();

function headOf(index: number): Head {
  const body = JSON.stringify({ model: 'gpt-5.1', input: `question ${index}` });
  const request = { api: 'openai.responses' as const, body, scope: {} };
  const reading = readPrompt(request);
  if ('unreadable' in reading) throw new Error(reading.unreadable);
  const { prompt, text } = reading;
  return {
    lineage: `l${index}`,
    index,
    turn: 1,
    api: 'openai.responses',
    scope: {},
    thread: undefined,
    fingerprint: fingerprintOf(prompt, hasher),
    facts: headFacts(request, prompt),
    prompt,
    text,
    outcome: IN_FLIGHT,
    wasSummarised: false,
  };
}

describe('heads', () => {
  it('lets go of a head by its response id too, once another took its place', () => {
    const heads = new Heads();
    const first = headOf(0);
    heads.add(first);
    heads.rememberResponse('resp_0', first);
    heads.remove(first);
    expect(heads.byResponse('resp_0')).toBeUndefined();
  });

  it('follows a conversation id from head to head', () => {
    const heads = new Heads();
    const [first, second] = [headOf(0), headOf(1)];
    for (const head of [first, second]) {
      heads.add(head);
      heads.rememberResponse('conversation c', head);
    }
    heads.remove(first);
    expect(heads.byResponse('conversation c')).toBe(second);
  });

  it('forgets the heads that were used the longest ago once their hashes exceed the budget', () => {
    const heads = new Heads({ headsPerScope: 64, heads: 100, promptBytes: 0, hashBytes: 2_000 });
    const all = Array.from({ length: 20 }, (_, index) => headOf(index));
    for (const head of all) {
      heads.add(head);
      heads.touch(all[0] as Head);
    }
    const left = heads.inScope('openai.responses', {});
    expect(left.length).toBeGreaterThan(2);
    expect(left.length).toBeLessThan(20);
    expect(left.map(({ index }) => index)).toContain(19);
    expect(left.map(({ index }) => index)).toContain(0);
    expect(left.map(({ index }) => index)).not.toContain(1);
  });

  it('keeps no prompt beyond its byte budget, whoever can find the head', () => {
    const heads = new Heads({ headsPerScope: 64, heads: 100, promptBytes: 2_000, hashBytes: 1_000_000 });
    const all = Array.from({ length: 20 }, (_, index) => headOf(index));
    all.forEach((head, index) => {
      heads.add(head);
      heads.rememberResponse(`resp_${index}`, head);
    });
    expect(all.filter(({ prompt }) => prompt !== null).length).toBeLessThan(5);
  });
});
