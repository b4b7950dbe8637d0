import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { annotations, withoutCommands } from '../../cli/check/annotations.ts';
import { checkCalls } from '../../cli/check/check-result.ts';
import { keyOf, knownFindingOf } from '../../cli/check/known-findings.ts';
import { checkSarif } from '../../cli/check/sarif.ts';
import { run } from '../../cli/run.ts';
import { createSourceNotes } from '../../cli/sources/notes.ts';
import type { ReportedCall } from '../../cli/summary/reported-call.ts';
import { exchangeLine } from '../support/exchange-lines.ts';
import { divergence, reportedCall, tokens, weddingCalls } from '../support/reported-calls.ts';
import { capturedContext } from './captured-context.ts';

let workingDirectory: string;
beforeEach(async () => {
  workingDirectory = await mkdtemp(join(tmpdir(), 'prefixtrace-test-'));
});
afterEach(() => rm(workingDirectory, { recursive: true, force: true }));

const CLEAN = exchangeLine('10:00', 1, 0, 2_100) + exchangeLine('10:00', 2, 2_100, 20);
const BROKEN = CLEAN + exchangeLine('10:31', 3, 0, 2_140);

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(workingDirectory, name), text);
  return name;
}

function content(name: string): Promise<string> {
  return readFile(join(workingDirectory, name), 'utf8');
}

async function check(words: readonly string[], env: Record<string, string> = {}) {
  const context = capturedContext({ workingDirectory, env: { NO_COLOR: '1', ...env } });
  const exitCode = await run(['check', ...words], context);
  return { exitCode, out: context.out(), err: context.err() };
}

describe('check against its limits', () => {
  it('passes a run without findings', async () => {
    const { exitCode, out } = await check([await file('a.jsonl', CLEAN)]);
    expect([exitCode, out]).toEqual([
      0,
      'prefixtrace check passed: 2 calls\n  ✓ 0 new findings, at most 0 allowed\n',
    ]);
  });

  it('fails a run with a finding, and says where, why and what to do', async () => {
    const { exitCode, out, err } = await check([await file('a.jsonl', BROKEN)]);
    expect([exitCode, err]).toEqual([1, '']);
    expect(out).toMatch(
      /^prefixtrace check failed: 3 calls\n {2}✗ 1 new finding, at most 0 allowed\n\n╳ system\.timestamp {2}1 call of researcher · a\.jsonl:3\n {2}at {4}system\[0\]\.text, byte \d+/,
    );
    expect(out).toContain('cost  2,120 tokens billed again');
    expect(out).toMatch(/\n {2}do {4}\S/);
  });

  it('never shows the text of a prompt, in no format', async () => {
    const log = await file('a.jsonl', BROKEN);
    for (const format of ['text', 'github', 'sarif', 'markdown', 'json']) {
      const { out } = await check([log, '--format', format]);
      expect(out).toContain('system.timestamp');
      expect(out).not.toMatch(/10:31|Keep answers/);
    }
  });

  it.each([
    [['--max-findings', '1'], 0],
    [['--max-findings', '0'], 1],
    [['--max-rebilled', '2120'], 0],
    [['--max-rebilled', '2119'], 1],
    [['--min-hit', '0.33'], 0],
    [['--min-hit', '0.34'], 1],
    [['--max-rebilled', '9999', '--max-findings', '0'], 1],
    [['--max-rebilled', '9999', '--min-hit', '0.9'], 1],
  ])('holds the run to %j: exit %i', async (words, expected) => {
    const { exitCode } = await check([await file('a.jsonl', BROKEN), ...words]);
    expect(exitCode).toBe(expected);
  });

  it('reads several logs as one conversation', async () => {
    const first = await file('a.jsonl', CLEAN);
    const second = await file('b.jsonl', exchangeLine('10:31', 3, 0, 2_140));
    expect((await check([second])).exitCode).toBe(0);
    expect((await check([first, second])).exitCode).toBe(1);
  });
});

describe('folders', () => {
  it('judges the logs of a folder as one run, and passes over what is none', async () => {
    await mkdir(join(workingDirectory, 'logs/more'), { recursive: true });
    await file('logs/a.jsonl', CLEAN);
    await file('logs/more/b.jsonl', exchangeLine('10:31', 3, 0, 2_140));
    await file('logs/README.md', 'What this is.\n');
    const { exitCode, out, err } = await check(['logs']);
    expect(out).toMatch(/^prefixtrace check failed: 3 calls\n {2}✗ 1 new finding, at most 0 allowed\n/);
    expect(out).not.toContain('not measured');
    expect([exitCode, err]).toEqual([
      1,
      'prefixtrace: passed over: logs/README.md: is neither JSON nor a recorded cassette\n',
    ]);
  });
});

describe('what could not be measured', () => {
  it.each([
    [
      'a call without usage',
      exchangeLine('10:00', 3, null, 0),
      '1 call without a count of tokens read from cache',
    ],
    ['a body that is no prompt', '{"api":"openai.chat","body":{"model":"gpt-5"}}\n', '1 call whose body'],
    ['a line that is not JSON', 'nonsense\n', '1 line of the log skipped'],
  ])('fails for %s, unless it is allowed', async (_what, text, reason) => {
    const log = await file('a.jsonl', CLEAN + text);
    const strict = await check([log]);
    expect(strict.exitCode).toBe(1);
    expect(strict.out).toContain(`✗ not measured: ${reason}`);
    const lenient = await check([log, '--allow-unmeasured']);
    expect(lenient.exitCode).toBe(0);
    expect(lenient.out).toContain(`· not measured, which is allowed: ${reason}`);
  });

  it('fails for a file that cannot be read, and judges the others', async () => {
    const { exitCode, out, err } = await check([await file('a.jsonl', CLEAN), 'missing.jsonl']);
    expect([exitCode, err]).toEqual([1, 'prefixtrace: not read: missing.jsonl: no such file\n']);
    expect(out).toMatch(/^prefixtrace check failed: 2 calls\n/);
    expect(out).toContain('✗ not measured: 1 file that could not be read to its end');
  });

  it('exits with 2 where no file can be read at all', async () => {
    const { exitCode, out, err } = await check(['missing.jsonl']);
    expect([exitCode, out, err]).toEqual([2, '', 'prefixtrace: cannot read missing.jsonl: no such file\n']);
  });

  it('fails a log of which no call can be read', async () => {
    const log = await file('a.jsonl', '{"api":"openai.chat","body":{"model":"gpt-5"}}\n');
    const { exitCode, out } = await check([log]);
    expect(exitCode).toBe(1);
    expect(out).toContain('not measured: no call could be diagnosed');
  });

  it('does not take a hit rate that nobody knows for a bad one, once that is allowed', async () => {
    const log = await file('a.jsonl', exchangeLine('10:00', 1, null, 0));
    const { exitCode, out } = await check([log, '--min-hit', '0.5', '--allow-unmeasured']);
    expect([exitCode, out]).toEqual([0, expect.stringContaining('– of input read from cache')]);
  });

  it('knows that a refused request has no usage', async () => {
    const refused = JSON.stringify({
      ...JSON.parse(exchangeLine('10:00', 2, null, 0)),
      response: { status: 429 },
    });
    expect((await check([await file('a.jsonl', `${CLEAN}${refused}\n`)])).exitCode).toBe(0);
  });
});

describe('the baseline file', () => {
  it('is written, then lets the findings in it pass', async () => {
    const log = await file('a.jsonl', BROKEN);
    const words = [log, '--baseline', 'known.json'];
    expect((await check([...words, '--update-baseline'])).exitCode).toBe(0);
    expect(await content('known.json')).toBe(
      `${JSON.stringify({ version: 1, findings: [{ cause: 'system.timestamp', phase: 'researcher', place: 'system[0].text' }] }, null, 2)}\n`,
    );
    const { exitCode, out } = await check([...words, '--max-rebilled', '0']);
    expect([exitCode, out]).toEqual([0, expect.stringContaining('1 known finding, listed in the baseline.')]);
  });

  it('does not excuse what is not in it', async () => {
    const log = await file('a.jsonl', BROKEN);
    const other = { cause: 'system.timestamp', phase: 'planner', place: 'system[0].text' };
    const known = await file('known.json', JSON.stringify({ version: 1, findings: [other] }));
    const { exitCode, out } = await check([log, '--baseline', known]);
    expect(exitCode).toBe(1);
    expect(out).toMatch(/no longer seen; .*\n {2}system\.timestamp · system\[0\]\.text · planner\n/);
  });

  it('stays as it was when the run could not be measured', async () => {
    const log = await file('a.jsonl', `${CLEAN}nonsense\n`);
    const known = await file('known.json', 'kept');
    expect((await check([log, '--baseline', known, '--update-baseline'])).exitCode).toBe(1);
    expect(await content('known.json')).toBe('kept');
  });

  it.each([
    ['nothing', undefined, /cannot read the baseline known\.json: no such file; --update-baseline writes it/],
    ['no JSON', 'x', /known\.json is not JSON/],
    ['another file', '{"name":"x"}', /is no baseline of prefixtrace check/],
    ['a newer version', '{"version":2,"findings":[]}', /has version 2, this prefixtrace reads 1/],
    ['a broken entry', '{"version":1,"findings":[{"cause":1}]}', /findings\[0\] must have a cause/],
  ])('is refused in one line when it is %s', async (_what, text, message) => {
    if (text !== undefined) await file('known.json', text);
    const { exitCode, out, err } = await check([await file('a.jsonl', CLEAN), '--baseline', 'known.json']);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toMatch(message);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  const keyAt = (fields: Parameters<typeof divergence>[0], source = 'a.jsonl:3') =>
    keyOf(knownFindingOf(reportedCall({ index: 1, source, divergence: divergence(fields) })));

  it('knows a finding again on another line, in a longer conversation, behind a new tool', () => {
    const edited = { kind: 'messages.edited', path: 'messages[4].content[1]' };
    expect(keyAt(edited, 'b.jsonl:9')).toBe(keyAt(edited));
    expect(keyAt({ ...edited, path: 'messages[40].content[0]' })).toBe(keyAt(edited));
    const tool = { kind: 'tools.description_changed', label: 'tool git__log' };
    expect(keyAt({ ...tool, path: 'tools[7]' })).toBe(keyAt({ ...tool, path: 'tools[2]' }));
    const shuffled = { kind: 'tools.reordered', path: 'tools[1]' };
    expect(keyAt({ ...shuffled, label: 'tool a' })).toBe(keyAt({ ...shuffled, label: 'tool b' }));
  });

  it('tells two blocks of the system prompt and two tools apart', () => {
    const clock = { kind: 'system.timestamp', path: 'system[0].text' };
    expect(keyAt({ ...clock, path: 'system[1].text' })).not.toBe(keyAt(clock));
    const tool = { kind: 'tools.description_changed', path: 'tools[0]' };
    expect(keyAt({ ...tool, label: 'tool a' })).not.toBe(keyAt({ ...tool, label: 'tool b' }));
  });
});

function resultOf(calls: readonly ReportedCall[], known: Parameters<typeof checkCalls>[0]['known'] = null) {
  return checkCalls({ calls, notes: createSourceNotes(), limits: {}, known, allowsUnmeasured: true });
}

describe('in GitHub Actions', () => {
  const ACTIONS = { GITHUB_ACTIONS: 'true' };

  it('annotates each new finding beside the text', async () => {
    const { out } = await check([await file('a.jsonl', BROKEN)], ACTIONS);
    expect(out).toContain('╳ system.timestamp');
    expect(out).toMatch(
      /\n::error file=a\.jsonl,line=3,title=system\.timestamp::a clock in the system prompt: 1 call of researcher, 2,120 tokens billed again%0A.+\n$/,
    );
  });

  it('warns only, where the limits hold', async () => {
    const { out } = await check([await file('a.jsonl', BROKEN), '--max-findings', '5'], ACTIONS);
    expect(out).toContain('\n::warning file=');
    expect(out).not.toContain('::error');
  });

  it('prints what was asked for instead of annotations', async () => {
    const { out } = await check([await file('a.jsonl', BROKEN), '--json'], ACTIONS);
    expect(JSON.parse(out)).toMatchObject({
      version: 1,
      passed: false,
      calls: 3,
      limits: [{ name: 'max-findings', limit: 0, value: 1, passed: false }],
      newFindings: [{ cause: 'system.timestamp', place: 'system[0].text', rebilled: { value: 2_120 } }],
      unmeasured: { allowed: false, reasons: [] },
    });
  });

  it('adds a Markdown summary to that of the job', async () => {
    const log = await file('a.jsonl', BROKEN);
    const summary = await file('summary.md', '# Build\n');
    await check([log, '--json'], { GITHUB_STEP_SUMMARY: summary });
    expect(await content('summary.md')).toMatch(
      /^# Build\n## ❌ Prompt cache: failed\n\n- ❌ 1 new finding, at most 0 allowed\n\n### New findings\n\n\| cause .*\n\| --- .*\n\| system\.timestamp \| system\\\[0\\\]/,
    );
  });

  it('keeps its verdict when the summary cannot be written', async () => {
    const { exitCode, err } = await check([await file('a.jsonl', CLEAN)], { GITHUB_STEP_SUMMARY: '.' });
    expect([exitCode, err]).toEqual([0, expect.stringContaining('the job summary could not be written')]);
  });

  it('lets no recorded name command the runner', () => {
    const [call] = weddingCalls().slice(2);
    const scope = { thread: null, phase: 'x\n::set-env name=A::b, %0A', delegation: null };
    const result = resultOf(call ? [{ ...call, scope, source: 'a:b,c.jsonl:7' }] : []);
    const lines = annotations(result).trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('file=a%3Ab%2Cc.jsonl,line=7,');
    expect(lines[0]).toContain('%0A::set-env name=A::b, %250A');
    expect(withoutCommands('  ::set-env::x ##[group]')).not.toMatch(/::|##\[/);
  });

  it('says how many it left out, as GitHub shows ten', () => {
    const calls = Array.from({ length: 14 }, (_, index) =>
      reportedCall({
        index,
        finding: true,
        divergence: divergence({ kind: 'system.timestamp', path: `system[${index}]` }),
        tokens: tokens({ input: 10, rebilled: index }),
      }),
    );
    const lines = annotations(resultOf(calls)).trim().split('\n');
    expect(lines).toHaveLength(10);
    expect(lines.at(-1)).toContain('5 other findings');
  });
});

describe('SARIF', () => {
  const calls = weddingCalls().map((call) => ({ ...call, source: `logs/a b.jsonl:${call.index + 1}` }));
  const known = [{ cause: 'tools.reordered', phase: 'researcher', place: 'tools' }];
  const log = JSON.parse(checkSarif(resultOf(calls, known)));
  const [sarifRun] = log.runs;

  it('has the members that version 2.1.0 requires', () => {
    expect(log).toMatchObject({
      version: '2.1.0',
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    });
    expect(log.runs).toHaveLength(1);
    expect(sarifRun.tool.driver).toMatchObject({ name: 'prefixtrace', version: expect.any(String) });
    expect(sarifRun.invocations).toMatchObject([{ executionSuccessful: true, exitCode: 1 }]);
    for (const rule of sarifRun.tool.driver.rules)
      expect(rule).toEqual({ id: expect.any(String), shortDescription: { text: expect.any(String) } });
    for (const result of sarifRun.results) {
      expect(sarifRun.tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId);
      expect(result).toMatchObject({
        level: 'warning',
        message: { text: expect.stringMatching(/\S/) },
        occurrenceCount: expect.any(Number),
        partialFingerprints: { 'prefixtraceFinding/v1': expect.any(String) },
      });
      const [{ physicalLocation }] = result.locations;
      expect(physicalLocation.artifactLocation.uri).toBe('logs/a%20b.jsonl');
      expect(physicalLocation.region.startLine).toBeGreaterThan(0);
    }
  });

  it('is one result a finding, the costliest first, and those of the baseline suppressed', () => {
    expect(
      sarifRun.results.map(
        ({ ruleId, occurrenceCount, baselineState, suppressions }: Record<string, unknown>) => [
          ruleId,
          occurrenceCount,
          baselineState,
          suppressions !== undefined,
        ],
      ),
    ).toEqual([
      ['system.timestamp', 2, 'new', false],
      ['ttl_expired', 1, 'new', false],
      ['tools.reordered', 1, 'unchanged', true],
    ]);
  });

  it('gives no place where the log is standard input', () => {
    const fromPipe = weddingCalls().map((call) => ({ ...call, source: '<stdin>:3' }));
    const [{ results }] = JSON.parse(checkSarif(resultOf(fromPipe))).runs;
    expect(results.length).toBeGreaterThan(0);
    for (const result of results) expect(result.locations).toBeUndefined();
  });
});

describe('on the command line', () => {
  it.each([
    [['--max-rebilled', 'many'], '--max-rebilled must be a whole number, got "many"'],
    [['--max-findings', '-1'], '--max-findings must be a whole number, got "-1"'],
    [['--min-hit', '80'], '--min-hit must be a share from 0 to 1, like 0.8, got "80"'],
    [['--update-baseline'], '--update-baseline needs --baseline FILE: the file to write'],
  ])('refuses %j in one line, with exit 2', async (words, message) => {
    const { exitCode, out, err } = await check([await file('a.jsonl', CLEAN), ...words]);
    expect([exitCode, out, err]).toEqual([2, '', `prefixtrace: ${message}\n`]);
  });

  it('has help with examples', async () => {
    const { exitCode, out } = await check(['--help']);
    expect(exitCode).toBe(0);
    expect(out).toContain('$ prefixtrace check calls.jsonl --max-rebilled 50000 --min-hit 0.8');
  });
});
