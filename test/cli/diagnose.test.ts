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

async function log(name: string, text: string): Promise<string> {
  await writeFile(join(workingDirectory, name), text);
  return name;
}

async function diagnose(...words: string[]) {
  const context = capturedContext({ workingDirectory });
  const exitCode = await run(['diagnose', ...words], context);
  return { exitCode, out: context.out(), err: context.err() };
}

const clean = () => exchangeLine('10:00', 1, 0, 2_100) + exchangeLine('10:00', 2, 2_100, 20);
const broken = () => clean() + exchangeLine('10:31', 3, 0, 2_140);

describe('diagnose --json', () => {
  it('prints the contract, and nothing else', async () => {
    const { exitCode, out, err } = await diagnose(await log('a.jsonl', broken()), '--json');
    expect([exitCode, err]).toEqual([0, '']);
    const { version, calls, summary } = JSON.parse(out);
    expect(version).toBe(1);
    expect(Object.keys(calls[0])).toEqual([
      'index',
      'source',
      'at',
      'api',
      'model',
      'scope',
      'lineage',
      'turn',
      'baseline',
      'divergence',
      'miss',
      'expected',
      'outcome',
      'certainty',
      'finding',
      'tokens',
      'cost',
      'provider',
    ]);
    expect(calls.map(({ source }: { source: string }) => source)).toEqual([
      'a.jsonl:1',
      'a.jsonl:2',
      'a.jsonl:3',
    ]);
    expect(calls[2]).toMatchObject({
      finding: true,
      baseline: 1,
      divergence: { component: 'system', kind: 'system.timestamp', leaf: 'system[0].text' },
      tokens: { cacheRead: 0, rebilled: 2_120 },
    });
    expect(summary).toMatchObject({
      calls: 3,
      findings: 1,
      lineages: 1,
      tokens: { input: 6_360, read: 2_100, written: 4_260, rebilled: 2_120 },
      byKind: { 'system.timestamp': { findings: 1, rebilled: 2_120 } },
      unreadable: { count: 0 },
      skippedLines: { count: 0 },
    });
  });

  it('numbers calls on over several files, which are one conversation', async () => {
    const first = await log('a.jsonl', clean());
    const second = await log('b.jsonl', exchangeLine('10:31', 3, 0, 2_140));
    const { calls } = JSON.parse((await diagnose(first, second, '--json')).out);
    expect(calls[2]).toMatchObject({ index: 2, source: 'b.jsonl:1', baseline: 1 });
  });

  it('keeps unknown usage unknown', async () => {
    const { calls, summary } = JSON.parse(
      (await diagnose(await log('a.jsonl', exchangeLine('10:00', 1, null, 0)), '--json')).out,
    );
    expect(calls[0].tokens).toMatchObject({ cacheRead: null, cacheWrite: null });
    expect(summary.tokens).toMatchObject({ read: null, callsWithoutUsage: 1 });
  });

  it('counts a bad line, tells of it on stderr, and goes on', async () => {
    const { exitCode, out, err } = await diagnose(await log('a.jsonl', `${clean()}nonsense\n`), '--json');
    expect(exitCode).toBe(0);
    expect(err).toBe('prefixtrace: skipped: a.jsonl:3: is not JSON\n');
    expect(JSON.parse(out).summary.skippedLines).toEqual({
      count: 1,
      first: [{ source: 'a.jsonl:3', reason: 'is not JSON' }],
    });
  });

  it('leaves out a body that is no prompt, and counts it with its source', async () => {
    const foreign = `${JSON.stringify({ api: 'openai.chat', body: { model: 'gpt-5' } })}\n`;
    const { out, err } = await diagnose(await log('a.jsonl', clean() + foreign), '--json');
    const { calls, summary } = JSON.parse(out);
    expect(calls).toHaveLength(2);
    expect(summary.unreadable).toMatchObject({ count: 1, first: [{ source: 'a.jsonl:3' }] });
    expect(err).toMatch(/^prefixtrace: not diagnosed: a\.jsonl:3: .+\n$/);
  });

  it('counts what it read where a later file cannot be read, and says so', async () => {
    const { exitCode, out, err } = await diagnose(
      await log('a.jsonl', clean()),
      await log('b.jsonl', 'nonsense\n'),
      '--json',
    );
    expect(exitCode).toBe(0);
    expect(err).toBe('prefixtrace: not read: b.jsonl: is neither JSON nor a recorded cassette\n');
    const { calls, summary } = JSON.parse(out);
    expect(calls).toHaveLength(2);
    expect(summary.unreadFiles).toEqual({
      count: 1,
      first: [{ source: 'b.jsonl', reason: 'is neither JSON nor a recorded cassette' }],
    });
  });

  it('prints nothing on stdout where nothing can be read', async () => {
    const { exitCode, out, err } = await diagnose(await log('b.jsonl', 'nonsense\n'), 'gone.jsonl', '--json');
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toMatch(/^prefixtrace: none of 2 files can be read: b\.jsonl:1: is neither JSON .*\n$/);
  });

  it('gives an object with no calls for a log in which no call can be diagnosed', async () => {
    const { out } = await diagnose(
      await log('a.jsonl', '{"api":"openai.chat","body":{"model":"gpt-5"}}\n'),
      '--json',
    );
    expect(JSON.parse(out)).toMatchObject({ version: 1, calls: [], summary: { calls: 0 } });
  });

  it('lets each call go out before the next one is read', async () => {
    let isWritten = false;
    async function* lines() {
      for (let line = 0; line < 250; line += 1) yield exchangeLine('10:00', 1, 0, 2_100);
      expect(isWritten).toBe(true);
      yield exchangeLine('10:00', 2, 2_100, 20);
    }
    const context = capturedContext({ workingDirectory });
    const stdout = {
      write: (text: string) => {
        isWritten ||= text.includes('"index":0');
        context.stdout.write(text);
      },
    };
    await run(['diagnose', '-', '--json'], { ...context, stdin: lines(), stdout });
    expect(JSON.parse(context.out()).calls).toHaveLength(251);
  });
});

describe('diagnose for a person', () => {
  it('prints a block for each finding and what it all came to', async () => {
    const { out } = await diagnose(await log('a.jsonl', broken()));
    expect(out).toMatch(
      /^╳ system\.timestamp {2}call 3 against call 2 · wedding-42 › researcher · a\.jsonl:3\n {2}at {6}system\[0\]\.text, byte/,
    );
    expect(out).toContain('cost    2,120 tokens billed again');
    expect(out).toMatch(/1 finding in 3 calls of 1 lineage; 2,120 tokens billed again/);
    expect(out).not.toContain('10:31');
  });

  it('shows the text that changed only when asked', async () => {
    const { out } = await diagnose(await log('a.jsonl', broken()), '--excerpts');
    expect(out).toMatch(/before .*10:00/);
  });

  it('says plainly that there is no finding', async () => {
    const { out } = await diagnose(await log('a.jsonl', clean()));
    expect(out).toBe('No finding in 2 calls of 1 lineage; 50 % of input read from cache.\n');
  });
});
