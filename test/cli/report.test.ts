import { describe, expect, it } from 'vitest';
import { printReport } from '../../cli/commands/report.ts';
import { inline, reportMarkdown } from '../../cli/report/report-markdown.ts';
import { reportText } from '../../cli/report/report-text.ts';
import type { CallSource } from '../../cli/sources/call-source.ts';
import { createSourceNotes } from '../../cli/sources/notes.ts';
import type { ReportedCall } from '../../cli/summary/reported-call.ts';
import { summarize } from '../../cli/summary/summary.ts';
import { createStyle } from '../../cli/terminal/style.ts';
import { widthOf } from '../../cli/terminal/terminal-text.ts';
import { reportedCall, weddingCalls } from '../support/reported-calls.ts';
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

describe('the report as text', () => {
  const text = reportText(summarize(weddingCalls()), {
    title: '.prefixtrace',
    style: createStyle(false),
    columns: 80,
  });

  it('says what it cost, what it could have cost and what to fix first', () => {
    expect(text).toMatchInlineSnapshot(`
      "prefixtrace  .prefixtrace                          43 min · 2 lineages · 8 calls

        Calls                   8   1 without usage, in no rate below
        Input tokens     ~137,000
        Read from cache      19 %   could be 63 %
        Billed again       80,800   58,900 of them avoidable
        Cost              ≥ $0.42   could be $0.21; no price for 1 call

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

      By phase      calls    input  read   cost  could be
        researcher      7  135,000  19 %  $0.42     $0.21
        planner         1   ~2,000     –      –         –

      Prices of 2026-11-20.
      "
    `);
  });

  it('fits the width that it is given', () => {
    for (const columns of [60, 80, 120]) {
      const lines = reportText(summarize(weddingCalls()), {
        title: 'x',
        style: createStyle(false),
        columns,
      }).split('\n');
      expect(Math.max(...lines.map((line) => widthOf(line)))).toBeLessThanOrEqual(columns);
    }
  });

  it('says plainly that there is no finding', () => {
    const clean = reportText(summarize([reportedCall({ index: 0 })]), {
      title: 'x',
      style: createStyle(false),
      columns: 80,
    });
    expect(clean).toContain('No finding: every prompt kept its prefix.');
    expect(clean).not.toContain('Fix first');
  });
});

describe('the report as Markdown', () => {
  it('is made of tables', () => {
    expect(reportMarkdown(summarize(weddingCalls()), '.prefixtrace')).toMatchInlineSnapshot(`
      "## Prompt cache: .prefixtrace

      |  |  |  |
      | --- | ---: | --- |
      | Calls | 8 | 1 without usage, in no rate below |
      | Input tokens | ~137,000 |  |
      | Read from cache | 19 % | could be 63 % |
      | Billed again | 80,800 | 58,900 of them avoidable |
      | Cost | ≥ $0.42 | could be $0.21; no price for 1 call |

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

      ### By phase

      | phase | calls | input | read | cost | could be |
      | --- | ---: | ---: | ---: | ---: | ---: |
      | researcher | 7 | 135,000 | 19 % | $0.42 | $0.21 |
      | planner | 1 | ~2,000 | – | – | – |
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

  it('says what to do where there is no call', async () => {
    const context = capturedContext();
    expect(await printReport(sourceOf([]), 'text', context)).toBe(0);
    expect(context.out()).toMatch(/^No calls in calls\.jsonl\. Record some: .*prefixtrace demo/);
  });
});
