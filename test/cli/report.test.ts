import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { printReport, reportFormat, runReport } from '../../cli/commands/report.ts';
import { reportOn } from '../../cli/report/report.ts';
import { inline, reportMarkdown } from '../../cli/report/report-markdown.ts';
import { reportText } from '../../cli/report/report-text.ts';
import type { CallSource } from '../../cli/sources/call-source.ts';
import { createSourceNotes } from '../../cli/sources/notes.ts';
import type { FindWindow } from '../../cli/summary/context-window.ts';
import type { ReportedCall } from '../../cli/summary/reported-call.ts';
import { createStyle } from '../../cli/terminal/style.ts';
import { widthOf } from '../../cli/terminal/terminal-text.ts';
import { reportedCall, tokens, weddingCalls } from '../support/reported-calls.ts';
import { capturedContext } from './captured-context.ts';

function sourceOf(calls: readonly ReportedCall[]): CallSource {
  return {
    name: 'calls.jsonl',
    canFollow: false,
    notes: createSourceNotes(),
    async *read() {
      yield calls;
    },
  };
}

const WINDOW: FindWindow = (model) =>
  model === 'claude-sonnet-5' ? { tokens: 40_000, dearerAboveTokens: null } : null;

function report(calls: readonly ReportedCall[], title = '.prefixtrace') {
  return reportOn(title, calls, createSourceNotes(), WINDOW);
}

describe('the report as text', () => {
  const text = reportText(report(weddingCalls()), {
    style: createStyle(false),
    columns: 80,
  });

  it('says what it cost, what it could have cost and what to fix first', () => {
    expect(text).toMatchInlineSnapshot(`
      "prefixtrace  .prefixtrace                          43 min · 2 lineages · 8 calls

        Cost              ≥ $0.42   could be $0.21
        Read from cache      19 %   could be 63 %
        Billed again       80,800   58,900 of them avoidable
        Resets                  5   2 system.timestamp, 1 ttl_expired, 1 tools.reorde…
        Costliest call     $0.086   call 6 of wedding-42 › researcher: ttl_expired
        Input tokens     ~137,000
        Calls                   8

      Fix first
        a clock in the system prompt: $0.14 of $0.20 avoidable
        system[0].text, byte 22 · system block 1, 2 calls of researcher
        → Move it behind the last mark, or into the newest user message.

      Findings                                      calls  tokens    cost
        system.timestamp  system[0] · researcher        2  39,400   $0.14
          → Move it behind the last mark, or into the newest user message.
        tools.reordered   tools[1] · researcher         1  19,500  $0.067
          → Send tools sorted by name.

      Not the prompt                                calls  tokens    cost
        ttl_expired       40 min idle · researcher      1  21,900  $0.076

      Meant                                         calls  tokens    cost
        compaction        researcher                    1   4,800  $0.017

      Context window                      calls  longest  window  full
        wedding-42 › researcher  ▄▅▅▅▅▅▂      7   23,000  40,000  57 %
          call 7: compacted when 57 % full; 4,800 tokens billed again, $0.017; in time
        History was cut 1 time: none early.

      By phase      calls    input  read   cost  could be
        researcher      7  135,000  19 %  $0.42     $0.21
        planner         1   ~2,000     –      –         –

      Not seen
        1 call without usage: in no rate, cost unknown

      Prices of 2026-11-20.
      "
    `);
  });

  it('fits the width that it is given', () => {
    for (const columns of [60, 80, 120]) {
      const lines = reportText(report(weddingCalls()), {
        style: createStyle(false),
        columns,
      }).split('\n');
      expect(Math.max(...lines.map((line) => widthOf(line)))).toBeLessThanOrEqual(columns);
    }
  });

  it('leaves a title whole beside the columns, however short the rows below it are', () => {
    const call = reportedCall({ index: 0, outcome: 'miss', miss: 'routing', finding: true });
    const list = reportText(report([call]), { style: createStyle(false), columns: 80 });
    expect(list).toMatch(/^Not the prompt +calls +tokens +cost$/m);
  });

  it('says plainly that there is no finding', () => {
    const clean = reportText(report([reportedCall({ index: 0 })]), {
      style: createStyle(false),
      columns: 80,
    });
    expect(clean).toContain('No finding: no change to a prompt cost anything.');
    expect(clean).not.toContain('Fix first');
  });
});

describe('what was not seen', () => {
  it('is told in one place', () => {
    const notes = createSourceNotes();
    notes.unreadFiles.add({ source: 'tuesday.jsonl.gz', reason: 'the archive is torn' });
    notes.skippedLines.add({ source: 'calls.jsonl:3', reason: 'not JSON' });
    notes.skippedLines.add({ source: 'calls.jsonl:9', reason: 'not JSON' });
    notes.unreadable.add({ source: null, reason: 'no messages' });
    const calls = [
      ...weddingCalls(),
      reportedCall({ index: 8, model: 'my-model', cost: null }),
      reportedCall({ index: 9, finding: true, tokens: tokens({ input: 9_000, rebilled: 9_000 }) }),
      // A rejected request is not billed: nothing is missing.
      reportedCall({ index: 10, miss: 'request_rejected', cost: null }),
    ];
    const text = reportText(reportOn('x', calls, notes, WINDOW), { style: createStyle(false), columns: 100 });
    expect(text.slice(text.indexOf('Not seen'), text.indexOf('Prices of'))).toMatchInlineSnapshot(`
      "Not seen
        1 call without usage: in no rate, cost unknown
        1 call without a known price: my-model
        1 file not read, or not to the end, first tuesday.jsonl.gz: the archive is torn
        1 call that could not be read, first no messages
        2 lines without a call, first calls.jsonl:3: not JSON
        1 loss without a known cause: the log holds no prompt

      "
    `);
  });

  it('is not mentioned where nothing was left out', () => {
    const text = reportText(report([reportedCall({ index: 0 })]), {
      style: createStyle(false),
      columns: 100,
    });
    expect(text).not.toContain('Not seen');
  });
});

describe('the report as Markdown', () => {
  it('is made of tables', () => {
    expect(reportMarkdown(report(weddingCalls()))).toMatchInlineSnapshot(`
      "## Prompt cache: .prefixtrace

      |  |  |  |
      | --- | ---: | --- |
      | Cost | ≥ $0.42 | could be \\$0.21 |
      | Read from cache | 19 % | could be 63 % |
      | Billed again | 80,800 | 58,900 of them avoidable |
      | Resets | 5 | 2 system.timestamp, 1 ttl\\_expired, 1 tools.reordered, 1 compaction |
      | Costliest call | $0.086 | call 6 of wedding-42 › researcher: ttl\\_expired |
      | Input tokens | ~137,000 |  |
      | Calls | 8 |  |

      **Fix first: a clock in the system prompt** ($0.14 of $0.20 avoidable; system\\[0\\].text, byte 22 · system block 1; 2 calls of researcher). Move it behind the last mark, or into the newest user message.

      ### Findings

      | cause | where | calls | tokens billed again | cost | what to do |
      | --- | --- | ---: | ---: | ---: | --- |
      | \`system.timestamp\` | system\\[0\\] · researcher | 2 | 39,400 | $0.14 | Move it behind the last mark, or into the newest user message. |
      | \`tools.reordered\` | tools\\[1\\] · researcher | 1 | 19,500 | $0.067 | Send tools sorted by name. |

      ### Not the prompt

      | cause | where | calls | tokens billed again | cost | what to do |
      | --- | --- | ---: | ---: | ---: | --- |
      | \`ttl_expired\` | 40 min idle · researcher | 1 | 21,900 | $0.076 | ask for the longer lifetime where pauses are usual, or keep calls closer together |

      ### Meant

      | cause | where | calls | tokens billed again | cost |
      | --- | --- | ---: | ---: | ---: |
      | \`compaction\` | researcher | 1 | 4,800 | $0.017 |

      ### Context window

      | lineage | calls | longest prompt | window | fullest |
      | --- | ---: | ---: | ---: | ---: |
      | wedding-42 › researcher | 7 | 23,000 | 40,000 | 57 % |

      | lineage | cut | full | tokens before | after | what it cost | early? |
      | --- | --- | ---: | ---: | ---: | --- | --- |
      | wedding-42 › researcher | call 7: compacted | 57 % full | 23,000 | 9,000 | 4,800 tokens billed again, \\$0.017 | in time |

      History was cut 1 time: none early.

      ### By phase

      | phase | calls | input | read | cost | could be |
      | --- | ---: | ---: | ---: | ---: | ---: |
      | researcher | 7 | 135,000 | 19 % | $0.42 | $0.21 |
      | planner | 1 | ~2,000 | – | – | – |

      ### Not seen

      - 1 call without usage: in no rate, cost unknown
      "
    `);
  });

  it('does not let recorded names become markup', () => {
    expect(inline('a|b `c` <img> @team [x](y)')).toBe('a\\|b \\`c\\` \\<img\\> @\u200bteam \\[x\\](y)');
  });
});

describe('the command', () => {
  it('prints one JSON object with nothing known as zero that is unknown', async () => {
    const context = capturedContext();
    expect(await printReport(sourceOf(weddingCalls()), 'json', context)).toBe(0);
    const report = JSON.parse(context.out());
    expect(report.totals.cost.usd).toEqual({
      value: expect.closeTo(0.4186),
      unknownCalls: 1,
      estimated: false,
    });
    expect(report.findings.map(({ cause }: { cause: string }) => cause)).toEqual([
      'system.timestamp',
      'tools.reordered',
    ]);
    expect(report.resets.map(({ cause, calls }: { cause: string; calls: number }) => [cause, calls])).toEqual(
      [
        ['system.timestamp', 2],
        ['ttl_expired', 1],
        ['tools.reordered', 1],
        ['compaction', 1],
      ],
    );
    expect(report.costliestCall).toMatchObject({ index: 5, usd: 0.0862 });
    expect(report.notSeen).toMatchObject([{ what: 'usage', count: 1 }]);
    expect(report.contextWindow).toMatchObject({
      earlyBelow: 0.5,
      lineages: [
        {
          name: 'l1',
          windowTokens: [1_000_000],
          cuts: [{ call: 6, kind: 'compaction', early: true, rebilled: 4_800, fullness: 0.023 }],
        },
        { name: 'l2', windowTokens: [], cuts: [] },
      ],
    });
    expect(report.phases.find(({ name }: { name: string }) => name === 'planner').cost.usd.value).toBeNull();
    expect(context.err()).toBe('');
  });

  it('prints no control character of recorded text', async () => {
    const context = capturedContext();
    const [call] = weddingCalls().slice(3);
    const scope = { thread: 'a\x1b[2Jb', phase: 'x\x1b]0;t\x07\nresearcher', delegation: null };
    await printReport(sourceOf(call ? [{ ...call, scope }] : []), 'text', context);
    expect(context.out()).toContain('x researcher');
    expect(context.out()).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
  });

  it('writes a file for its owner alone, in the form that its name says', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prefixtrace-report-'));
    try {
      const output = join(folder, 'report.md');
      await writeFile(output, 'of yesterday, and longer than what follows'.repeat(500), { mode: 0o644 });
      const context = capturedContext();
      await printReport(sourceOf(weddingCalls()), reportFormat({ output }), context, { output });
      expect(await readFile(output, 'utf8')).toMatch(
        /^## Prompt cache: calls\.jsonl[\s\S]*without usage.*\n$/,
      );
      expect((await stat(output)).mode & 0o777).toBe(0o600);
      expect([context.out(), context.err()]).toEqual(['', `Wrote ${output}\n`]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('knows what is wanted by the option first and by the name of the file then', () => {
    expect(reportFormat({ output: 'a/Report.HTML' })).toBe('html');
    expect(reportFormat({ output: 'report.html', format: 'markdown' })).toBe('markdown');
    expect(reportFormat({ output: 'report.html', json: true })).toBe('json');
    expect([reportFormat({ output: 'report' }), reportFormat({})]).toEqual(['text', 'text']);
  });

  it('says in one line what is wrong with what was asked for', async () => {
    const context = capturedContext();
    await expect(
      printReport(sourceOf([]), 'text', context, { output: '/nowhere/at/all/report.txt' }),
    ).rejects.toThrow('cannot write /nowhere/at/all/report.txt: no such file');
    await expect(runReport('-', 'text', context, { excerpts: true })).rejects.toThrow(
      '--excerpts goes with --format html',
    );
    const terminal = { ...context, stdout: { ...context.stdout, isTTY: true } };
    await expect(runReport('-', 'html', terminal)).rejects.toThrow('--output report.html');
  });

  it('does not say that there are no calls where there were some that it could not read', async () => {
    const notes = createSourceNotes();
    notes.unreadable.add({ source: 'calls.jsonl:1', reason: 'no messages' });
    const context = capturedContext();
    await printReport({ ...sourceOf([]), notes }, 'text', context);
    expect(context.out()).toContain('but 1 call that could not be read, first calls.jsonl:1: no messages');
  });

  it('says what to do where there is no call', async () => {
    const context = capturedContext();
    expect(await printReport(sourceOf([]), 'text', context)).toBe(0);
    expect(context.out()).toMatch(/^No calls in calls\.jsonl\. Record some: .*prefixtrace demo/);
  });
});
