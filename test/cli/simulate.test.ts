import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../cli/run.ts';
import { exchangeLine } from '../support/exchange-lines.ts';
import { capturedContext } from './captured-context.ts';

let workingDirectory: string;
beforeEach(async () => {
  workingDirectory = await mkdtemp(join(tmpdir(), 'prefixtrace-test-'));
});
afterEach(() => rm(workingDirectory, { recursive: true, force: true }));

async function simulate(log: string, ...words: string[]) {
  await writeFile(join(workingDirectory, 'calls.jsonl'), log);
  const context = capturedContext({ workingDirectory });
  const exitCode = await run(['simulate', 'calls.jsonl', ...words], context);
  return { exitCode, out: context.out(), err: context.err(), json: () => JSON.parse(context.out()) };
}

interface LayoutJson {
  readonly changes: readonly string[];
  readonly title: string;
  readonly reason: string | null;
  readonly expected: {
    readonly all: {
      readonly tokens: Record<'read' | 'written' | 'uncached', { readonly value: number }>;
      readonly usd: { readonly value: number };
    };
  } | null;
}

/** One conversation whose clock moves on before its third call, which reads nothing. */
const CLOCK =
  exchangeLine('10:00', 1, 0, 2_100) +
  exchangeLine('10:00', 2, 2_100, 20) +
  exchangeLine('10:31', 3, 0, 2_140);

/** Prices of claude-sonnet-5: $2 in, $10 out, writes at 1.25 and 2 times, reads at a tenth. 9 tokens out in each of 3 calls. */
const usd = (read: number, written: number, uncached = 0, writeFactor = 1.25) =>
  (read * 0.2 + written * 2 * writeFactor + uncached * 2 + 27 * 10) / 1_000_000;

describe('the recording as it is', () => {
  it('stands beside what the rules expect of it, call by call', async () => {
    const { exitCode, err, json } = await simulate(CLOCK, '--volatile', 'tail', '--json');
    expect([exitCode, err]).toEqual([0, '']);
    const { fit, reported, asRecorded } = json();
    expect(fit).toEqual({ calls: 3, expectedRead: 2_100, reportedRead: 2_100, off: 0, near: 3, unseen: 0 });
    expect(reported.all.tokens).toMatchObject({
      read: { value: 2_100, estimated: false },
      written: { value: 4_260, estimated: false },
    });
    expect(asRecorded.all.tokens).toMatchObject({
      read: { value: 2_100, estimated: true },
      written: { value: 4_260, estimated: true },
    });
    expect(asRecorded.all.usd.value).toBeCloseTo(usd(2_100, 4_260), 8);
    expect(reported.all.usd.value).toBeCloseTo(usd(2_100, 4_260), 8);
  });

  it('is called badly foretold before anything else, where the reported reads are others', async () => {
    const lost = exchangeLine('10:00', 1, 0, 2_100) + exchangeLine('10:00', 2, 0, 2_120);
    const { out } = await simulate(lost);
    expect(out).toMatch(
      /^prefixtrace simulate .*\n\nThe rules do not fit the recording well, so the figures below are a weak guess/,
    );
    expect(out.replace(/\s+/g, ' ')).toContain(
      'they expect 2,100 tokens read, and 0 are reported; call by call 100 % off',
    );
  });

  it('is not known to be foretold well where no call reports its reads', async () => {
    const silent = exchangeLine('10:00', 1, null, 0) + exchangeLine('10:00', 2, null, 0);
    const { out } = await simulate(silent);
    expect(out).toMatch(/how well the rules fit is unknown, so take the figures\s+as a guess/);
    expect(out).toMatch(/as it is, reported +– +– +– +–/);
  });

  it('keeps what was read from before the recording began, under every layout', async () => {
    const late = exchangeLine('10:00', 3, 2_120, 20) + exchangeLine('10:31', 4, 0, 2_180);
    const { json } = await simulate(late, '--volatile', 'tail', '--json');
    const { fit, asRecorded } = json();
    expect(fit).toMatchObject({ calls: 1, unseen: 1, expectedRead: 0, off: 0 });
    expect(asRecorded.all.tokens).toMatchObject({ read: { value: 2_120 }, written: { value: 2_200 } });
  });

  it('leaves out calls whose history lies with the provider, and says so', async () => {
    const rest = JSON.stringify({
      api: 'openai.responses',
      body: { model: 'gpt-5.1', previous_response_id: 'resp_1', input: 'And then?' },
      usage: { input_tokens: 2_000, output_tokens: 5 },
    });
    const { out } = await simulate(`${CLOCK}${rest}\n`);
    expect(out).toContain('1 lineage · 3 calls');
    expect(out).toContain('Left out: 1 call whose history lies with the provider.');
  });
});

describe('the changing part of the system prompt at the tail', () => {
  it('lets each call read all that the one before it wrote', async () => {
    const { json } = await simulate(CLOCK, '--volatile', 'tail', '--json');
    const [layout] = json().layouts as LayoutJson[];
    expect(layout).toMatchObject({ changes: ['volatile-tail'], changedCalls: 3, helps: true });
    const { tokens, usd: cost } = layout?.expected?.all ?? expect.fail('nothing was changed');
    // By hand: `It is 10:00. ` is about 3 of 2,100 tokens. It is in no entry and paid in full in each call; the others
    // read 2,100 and 2,120 without it, and all that is written is the growth and the first call.
    const clock = tokens.uncached.value / 3;
    expect(clock).toBeGreaterThan(1);
    expect(clock).toBeLessThan(8);
    expect(Math.abs(tokens.read.value - (2_100 + 2_120 - 2 * clock))).toBeLessThan(4);
    expect(Math.abs(tokens.written.value - (2_140 - clock))).toBeLessThan(4);
    expect(cost.value).toBeCloseTo(usd(tokens.read.value, tokens.written.value, tokens.uncached.value), 8);
  });
});

describe('a lifetime of 1 h', () => {
  /** Seven minutes before the third call, in which all is read again but for the lifetime. */
  const PAUSE =
    exchangeLine('10:00', 1, 0, 2_100) +
    exchangeLine('10:00', 2, 2_100, 20) +
    exchangeLine('10:00', 3, 0, 2_140).replace('10:00:30.000Z', '10:07:30.000Z');

  it('reads over a pause and pays twice the input price for what it writes', async () => {
    const { json } = await simulate(PAUSE, '--ttl', '1h', '--json');
    const { asRecorded, layouts } = json();
    expect(asRecorded.all.tokens).toMatchObject({ read: { value: 2_100 }, written: { value: 4_260 } });
    const { all } = layouts[0].expected;
    expect(all.tokens).toMatchObject({ read: { value: 4_220 }, written: { value: 2_140 } });
    expect(all.usd.value).toBeCloseTo(usd(4_220, 2_140, 0, 2), 8);
  });

  it('costs more where no pause is that long', async () => {
    const { json, out } = await simulate(CLOCK, '--ttl', '1h', '--json');
    expect(json().layouts[0]).toMatchObject({ helps: false });
    expect(json().layouts[0].expected.all.usd.value).toBeCloseTo(usd(2_100, 4_260, 0, 2), 8);
    expect(out).toContain('"ttl-1h"');
    expect((await simulate(CLOCK, '--ttl', '1h')).out).toMatch(/a lifetime of 1 h .* −~\$0\.0064 \(56 %\)/);
  });

  it('is no setting of an automatic cache, which is said in place of a figure', async () => {
    const line = JSON.stringify({
      api: 'openai.chat',
      at: '2026-11-30T10:00:00.000Z',
      body: { model: 'gpt-5.1', messages: [{ role: 'user', content: 'Hi' }] },
      usage: { prompt_tokens: 8, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 0 } },
    });
    const { out } = await simulate(`${line}\n`);
    expect(out).toContain('a lifetime of 1 h: does not apply: only marks of Anthropic and Bedrock');
    expect(out).toContain('breakpoints as advised: does not apply: the provider caches without marks');
    expect(out).toContain('tools sorted by name: changes nothing');
    expect(out).not.toMatch(/a lifetime of 1 h +~/);
  });
});

describe('layouts without any option', () => {
  const BOTH = CLOCK + exchangeLine('10:31', 4, 0, 2_160).replace('10:00:40.000Z', '10:07:40.000Z');

  it('are tried each alone, and those that help together, best first', async () => {
    const { json, out } = await simulate(BOTH, '--json');
    const layouts = json().layouts as LayoutJson[];
    const tried = layouts.filter(({ expected }) => expected !== null);
    const costs = tried.map(({ expected }) => expected?.all.usd.value ?? 0);
    expect(costs).toEqual([...costs].sort((a, b) => a - b));
    expect(layouts.find(({ changes }) => changes.join() === 'volatile-tail')).toMatchObject({ helps: true });
    expect(layouts.map(({ changes }) => changes[0])).toEqual(
      expect.arrayContaining([
        'tools-sorted',
        'tools-first-seen',
        'breakpoints-advised',
        'volatile-tail',
        'ttl-1h',
      ]),
    );
    expect(out).toContain('"changes nothing: all tools come sorted already"');
  });

  it('do not end with an order of tools and the other order of them', async () => {
    const tool = (name: string) => ({
      name,
      description: name.repeat(900),
      input_schema: { type: 'object' },
    });
    const withTools = (line: string, names: readonly string[]) => {
      const exchange = JSON.parse(line);
      return `${JSON.stringify({ ...exchange, body: { ...exchange.body, tools: names.map(tool) } })}\n`;
    };
    const log = ['ab', 'ba', 'ab', 'ba'].map((order, index) =>
      withTools(exchangeLine(index < 2 ? '10:00' : '10:31', index + 1, 0, 3_000 + index * 20), [...order]),
    );
    const layouts = (await simulate(log.join(''), '--json')).json().layouts as LayoutJson[];
    const [best] = layouts;
    expect(best?.title).toBe('all that help, together');
    expect(best?.changes).toContain('volatile-tail');
    expect(best?.changes.filter((name) => name.startsWith('tools-'))).toHaveLength(1);
  });

  it('are one layout where several are asked for', async () => {
    const { json } = await simulate(BOTH, '--volatile', 'tail', '--ttl', '1h', '--json');
    const layouts = json().layouts as LayoutJson[];
    expect(layouts.map(({ changes }) => changes)).toEqual([['volatile-tail', 'ttl-1h']]);
  });
});

describe('the answer', () => {
  it('says by which rules, which prices and which counts it was made', async () => {
    const { out } = await simulate(CLOCK);
    const text = out.replace(/\s+/g, ' ');
    expect(text).toContain(
      'Nothing was sent. Rules as documented on 2026-12-01: anthropic (entries at marks, from 1,024 tokens, for 5 min)',
    );
    expect(text).toContain('Token totals: 3 reported;');
    expect(text).toMatch(/Prices of 20\d\d-\d\d-\d\d\./);
  });

  it('tells each lineage before and after, where there are several', async () => {
    const other = CLOCK.replaceAll('message 0', 'another conversation').replaceAll('wedding-42', 'garden-7');
    const { out } = await simulate(CLOCK + other, '--volatile', 'tail');
    expect(out).toContain('By lineage: volatile part to the tail');
    expect(out).toMatch(/^ {2}l1 +3 +~2,100 +~4,2\d\d /m);
  });

  it('never shows the text of a prompt', async () => {
    for (const words of [[], ['--json']])
      expect((await simulate(CLOCK, ...words)).out).not.toMatch(/10:31|Keep answers/);
  });

  it.each([
    [['--ttl', '2h'], /'2h' is invalid/],
    [['--tools', 'random'], /'random' is invalid/],
  ])('is a line of help for %j, with exit 2', async (words, message) => {
    const { exitCode, out, err } = await simulate(CLOCK, ...words);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });

  it('is refused where no call holds a prompt', async () => {
    const { exitCode, out, err } = await simulate('{"api":"openai.chat","body":{"model":"gpt-5"}}\n');
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toMatch(/no call here can be simulated/);
  });
});
