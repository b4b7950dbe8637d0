import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFigures } from '../../cli/compare/run-figures.ts';
import { chanceOfApart, shownBy, spreadOf } from '../../cli/compare/spread.ts';
import { run } from '../../cli/run.ts';
import { exchangeLine } from '../support/exchange-lines.ts';
import { reportedCall, tokens, weddingCalls } from '../support/reported-calls.ts';
import { capturedContext } from './captured-context.ts';

let workingDirectory: string;
beforeEach(async () => {
  workingDirectory = await mkdtemp(join(tmpdir(), 'prefixtrace-test-'));
});
afterEach(() => rm(workingDirectory, { recursive: true, force: true }));

async function file(name: string, text: string): Promise<void> {
  const path = join(workingDirectory, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function compare(...words: string[]) {
  const context = capturedContext({ workingDirectory });
  const exitCode = await run(['compare', ...words], context);
  return { exitCode, out: context.out(), err: context.err() };
}

/** Two calls that hit, `written` tokens in the first one. */
function steadyRun(written: number): string {
  return exchangeLine('10:00', 1, 0, written) + exchangeLine('10:00', 2, written, 20);
}

/** The same, and a third call whose clock has moved on. */
function faultyRun(written: number): string {
  return steadyRun(written) + exchangeLine('10:31', 3, 0, written + 40);
}

async function twoArms(): Promise<void> {
  for (const [index, written] of [2_100, 2_110, 2_120].entries()) {
    await file(`a/${index}.jsonl`, faultyRun(written));
    await file(`b/${index}.jsonl`, steadyRun(written));
  }
}

describe('two arms of several runs', () => {
  it('are compared by the medians of sums over every turn, with their ranges', async () => {
    await twoArms();
    const { exitCode, out, err } = await compare('a', 'b', '--json');
    expect([exitCode, err]).toEqual([0, '']);
    const { figures, a } = JSON.parse(out);
    expect(a.runs.map(({ name }: { name: string }) => name)).toEqual(['a/0.jsonl', 'a/1.jsonl', 'a/2.jsonl']);
    // By hand, of A: inputs 2,110 + 2,130 + 2,150; read 2,110; written 2,110 + 20 + 2,150. 9 tokens out in each call.
    const known = { runs: 3, leftOut: 0, estimated: false };
    expect(figures.input.a).toEqual({ median: 6_390, min: 6_360, max: 6_420, ...known });
    expect(figures.read.a).toEqual({ median: 2_110, min: 2_100, max: 2_120, ...known });
    expect(figures.written.a).toEqual({ median: 4_280, min: 4_260, max: 4_300, ...known });
    expect(figures.output.a).toEqual({ median: 27, min: 27, max: 27, ...known });
    expect(figures.calls).toMatchObject({
      a: { median: 3 },
      b: { median: 2 },
      difference: -1,
      shown: 'apart',
    });
    expect(figures.read).toMatchObject({ difference: 0, shown: 'overlap' });
    expect(figures.hitRate.b.median).toBeCloseTo(2_110 / 4_240);
    expect(figures.rebilled).toMatchObject({ a: { median: 2_130 }, b: { median: 0 } });
    expect(figures.usd.b.median).toBeLessThan(figures.usd.a.median);
    expect(figures.findings).toMatchObject({ a: { median: 1 }, b: { median: 0 }, shown: 'apart' });
  });

  it('show a difference only where their ranges lie apart, and how much chance is in that', async () => {
    await twoArms();
    const { out } = await compare('a', 'b');
    expect(out).toMatch(/^ {2}A {2}a {2}3 runs$/m);
    expect(out).toMatch(
      /Read from cache +2,110 +\(2,100–2,120\) +2,110 +\(2,100–2,120\) +no difference shown/,
    );
    expect(out).toMatch(/Written to cache +4,280 +\(4,260–4,300\) +2,130 +\(2,120–2,140\) +−2,150 \(−50 %\)/);
    expect(out).toContain('Where the ranges overlap no difference is shown.');
    expect(out.replace(/\s+/g, ' ')).toContain(
      'With 3 and 3 runs chance alone parts the ranges of about one figure in 10.',
    );
  });

  it('are shown without ranges where there is no room for them', async () => {
    await twoArms();
    const context = capturedContext({ workingDirectory, env: { NO_COLOR: '1' } });
    const narrow = { ...context, stdout: { ...context.stdout, columns: 60 } };
    expect(await run(['compare', 'a', 'b'], narrow)).toBe(0);
    expect(context.out()).toMatch(/^ {2}Written to cache +4,280 +2,130 +−2,150 \(−50 %\)$/m);
  });

  it('name the findings that only one of them has', async () => {
    await twoArms();
    const { out } = await compare('a', 'b');
    expect(out).toContain(
      'Findings only in A\n  system.timestamp  a clock in the system prompt: 3 calls in 3 of 3 runs',
    );
    expect(out).not.toContain('Findings only in B');
  });

  it('may be given as patterns that no shell has expanded', async () => {
    await twoArms();
    const { out } = await compare('a/*.jsonl', 'b/[01].jsonl', '--json');
    expect(JSON.parse(out)).toMatchObject({
      a: { runs: [{}, {}, {}] },
      b: { runs: [{ name: 'b/0.jsonl' }, { name: 'b/1.jsonl' }] },
    });
  });
});

describe('what a comparison cannot know', () => {
  it('is said of a single run, which shows no spread', async () => {
    await file('a.jsonl', faultyRun(2_100));
    await file('b.jsonl', steadyRun(2_100));
    const { exitCode, out } = await compare('a.jsonl', 'b.jsonl');
    expect(exitCode).toBe(0);
    expect(out).toContain('One run shows no spread');
    expect(out).toMatch(/Calls +3 +2 +−1 /);
    expect(out).not.toContain('chance alone');
  });

  it('is left out and never counted as zero: a run with a call without usage', async () => {
    await twoArms();
    await file('a/1.jsonl', faultyRun(2_110) + exchangeLine('10:31', 4, null, 0));
    const { out } = await compare('a', 'b', '--json');
    const { figures } = JSON.parse(out);
    for (const name of ['read', 'written', 'output', 'hitRate', 'usd'])
      expect(figures[name].a, name).toMatchObject({ runs: 2, leftOut: 1 });
    expect(figures.read.a).toMatchObject({ median: 2_110, min: 2_100, max: 2_120 });
    const text = (await compare('a', 'b')).out.replace(/\s+/g, ' ');
    expect(text).toContain('Unknown and left out');
    expect(text).toContain('Cost of 1 run of A');
  });

  it('is unknown where no run knows it', async () => {
    await file('a.jsonl', exchangeLine('10:00', 1, null, 0));
    await file('b.jsonl', steadyRun(2_100));
    const { figures } = JSON.parse((await compare('a.jsonl', 'b.jsonl', '--json')).out);
    expect(figures.read).toEqual({ a: null, b: expect.anything(), difference: null, shown: 'unknown' });
    expect((await compare('a.jsonl', 'b.jsonl')).out).toMatch(/Read from cache +– +2,100 +unknown/);
  });

  it('does not include what a refused request cost: nothing', () => {
    const refused = reportedCall({
      index: 9,
      outcome: 'unknown',
      cost: null,
      tokens: tokens({
        input: 5_000,
        cacheRead: null,
        cacheWrite: null,
        uncached: null,
        method: 'estimated',
      }),
    });
    const calls = [reportedCall({ index: 0 }), refused];
    const { figures } = runFigures(calls);
    expect(figures).toMatchObject({ calls: { value: 2 }, input: { value: 20_000 }, usd: { value: 0.0117 } });
  });

  it('says nothing of writes where the provider bills none, and sums those of the others', () => {
    const implicit = reportedCall({
      index: 1,
      tokens: tokens({ input: 2_000, cacheRead: 1_024, cacheWrite: null, uncached: 976 }),
    });
    expect(runFigures([implicit]).figures.written.value).toBeNull();
    expect(runFigures([implicit, reportedCall({ index: 0 })]).figures.written.value).toBe(900);
    expect(runFigures(weddingCalls()).figures.written.value).toBeNull();
  });
});

describe('a streamed response', () => {
  it('counts once, although each of its chunks says what it came to so far', async () => {
    const chunk = (output: number) =>
      `data: {"id":"c1","model":"gpt-4.1","choices":[{"delta":{"content":"x"}${output === 30 ? ',"finish_reason":"stop"' : ''}}],"usage":{"prompt_tokens":2000,"completion_tokens":${output},"prompt_tokens_details":{"cached_tokens":1024}}}\n\n`;
    const entry = {
      startedDateTime: '2026-11-30T10:00:00.000Z',
      time: 900,
      request: {
        method: 'POST',
        url: 'https://api.openai.com/v1/chat/completions',
        headers: [],
        postData: {
          text: JSON.stringify({
            model: 'gpt-4.1',
            stream: true,
            messages: [{ role: 'user', content: 'Hi' }],
          }),
        },
      },
      response: {
        status: 200,
        headers: [{ name: 'content-type', value: 'text/event-stream' }],
        content: { text: `${chunk(10)}${chunk(20)}${chunk(30)}data: [DONE]\n\n` },
      },
    };
    await file('a.har', JSON.stringify({ log: { version: '1.2', entries: [entry] } }));
    const { figures } = JSON.parse((await compare('a.har', 'a.har', '--json')).out);
    expect(figures).toMatchObject({
      calls: { a: { median: 1 } },
      input: { a: { median: 2_000 } },
      read: { a: { median: 1_024 } },
      output: { a: { median: 30 } },
    });
  });
});

describe('spreads', () => {
  const figures = (...values: (number | null)[]) => values.map((value) => ({ value, isEstimated: false }));

  it.each([
    [[3], 3],
    [[9, 1, 5], 5],
    [[4, 1, 2, 3], 2.5],
    [[null, 7], 7],
  ])('have the median of %j', (values, median) => {
    expect(spreadOf(figures(...values))?.median).toBe(median);
  });

  it.each([
    [[1, 2], [3, 4], 'apart'],
    [[1, 3], [3, 4], 'overlap'],
    [[2, 2], [2, 2], 'overlap'],
    [[1, 2], [9], 'one_run'],
    [[1, 2], [null, null], 'unknown'],
  ])('of %j and %j are %s', (a, b, shown) => {
    expect(shownBy(spreadOf(figures(...a)), spreadOf(figures(...b)))).toBe(shown);
  });

  it('lie apart by chance as often as one arm happens to come first', () => {
    // Of the 20 orders of three and three runs two have one arm before the other.
    expect(chanceOfApart(3, 3)).toBeCloseTo(0.1);
    expect(chanceOfApart(2, 2)).toBeCloseTo(1 / 3);
    expect(chanceOfApart(5, 5)).toBeCloseTo(2 / 252);
  });
});

describe('on the command line', () => {
  it.each([
    [['a.jsonl', 'missing.jsonl'], /cannot read missing\.jsonl: no such file/],
    [['a.jsonl', 'none-*.jsonl'], /cannot read none-\*\.jsonl: nothing fits this pattern/],
    [['-', '-'], /standard input can be one of the two arms, not both/],
    [['a.jsonl', 'empty.jsonl'], /empty\.jsonl/],
    [['a.jsonl'], /missing required argument 'b'/],
  ])('refuses %j in one line, with exit 2', async (words, message) => {
    await file('a.jsonl', steadyRun(2_100));
    await file('empty.jsonl', '');
    const { exitCode, out, err } = await compare(...words);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toMatch(message);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('leaves a file out that is no log, and says so', async () => {
    await twoArms();
    await file('a/readme.txt', 'Three runs.');
    const { exitCode, out, err } = await compare('a', 'b', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(out).a.runs).toHaveLength(3);
    expect(err).toMatch(/left out: a\/readme\.txt/);
  });

  it('has help with examples', async () => {
    const { exitCode, out } = await compare('--help');
    expect([exitCode, out]).toEqual([
      0,
      expect.stringContaining('$ prefixtrace compare runs/before runs/after'),
    ]);
  });
});
