import { describe, expect, it } from 'vitest';
import { callBar } from '../../cli/ui/call-bar.ts';
import { caption } from '../../cli/ui/divergence-screen.ts';
import { type Line, widthOfLine } from '../../cli/ui/frame.ts';
import type { Command } from '../../cli/ui/keys.ts';
import { promptStrip } from '../../cli/ui/prompt-strip.ts';
import { reduce } from '../../cli/ui/reduce.ts';
import { screenLines } from '../../cli/ui/screen.ts';
import { initialState } from '../../cli/ui/state.ts';
import { reportedCall, tokens, weddingCalls } from '../support/reported-calls.ts';
import { loaded, press, SOURCE, shown } from '../support/viewer-state.ts';

const stateAfter = (...commands: Command[]) => press(loaded(), ...commands);

describe('at 80 × 24', () => {
  it('the overview says what to fix first', () => {
    expect(shown(stateAfter())).toMatchInlineSnapshot(`
      " prefixtrace ● live  .prefixtrace                 43 min · 2 lineages · 8 calls
      ────────────────────────────────────────────────────────────────────────────────
       Fix first   a clock in the system prompt              $0.14 of $0.20 avoidable
                   system[0].text, byte 22 · system block 1     2 calls of researcher
                   → Move it behind the last mark, or into the newest user message.

       Hit rate    ▁█▁▁▁▁▄·                  19 %, could be 63 %
       Cost        █████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓  ≥ $0.42, could be $0.21

       Findings                                            calls     tokens      cost
      ▸system.timestamp  system[0] · researcher                2     39,400     $0.14
       tools.reordered   tools[1] · researcher                 1     19,500    $0.067
       Not the prompt
       ttl_expired       40 min idle · researcher              1     21,900    $0.076
       Meant
       compaction        researcher                            1      4,800    $0.017
       Worst lineages                                      calls        hit avoidable
       wedding-42 › researcher                                 7       19 %     $0.20
       Phases
       researcher                                              7       19 %     $0.20
       planner                                                 1          –


       ↑↓ choose  ⏎ open  l lineages  F floor  / filter  ? keys  q quit"
    `);
  });

  it('the lineages are a table', () => {
    expect(shown(stateAfter('lineages'))).toMatchInlineSnapshot(`
      " Lineages  by avoidable                                              2 lineages
      ────────────────────────────────────────────────────────────────────────────────
       Lineage                           calls    hit   rebilled ↓avoidable      cost
      ▸wedding-42 › researcher               7   19 %     80,800      $0.20     $0.42
       wedding-42 › planner  unpriced-…      1      –                               –


















       ↑↓ choose  ⏎ timeline  s sort  r reverse  F floor  / filter  esc back  ? keys"
    `);
  });

  it('the timeline is a call a row', () => {
    expect(shown(stateAfter('lineages', 'open', 'next'))).toMatchInlineSnapshot(`
      " wedding-42 › researcher                   claude-sonnet-5 · 7 calls · hit 19 %
      ────────────────────────────────────────────────────────────────────────────────
       █ read  ▓ written  ░ uncached  ╳ break  ◷ not the prompt

          #  at        prompt                          hit
          1  10:00:00  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓          0 %  first call
          2  10:00:10  ███████████████████████▓       95 %
      ▸   3  10:00:20  █╳▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓      2 %  tools.reordered $0.067
          4  10:00:30  █╳▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓     5 %  system.timestamp $0.068
          5  10:00:40  █╳▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓     5 %  system.timestamp $0.068
           ◷  40 min without a call
          6  10:41:00  ◷▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓    0 %  40 min idle, lapsed $0.076
          7  10:42:00  █████╳▓▓▓▓▓                    47 %  compaction, meant










       ↑↓ choose  ⏎ open  n next loss  c compare  : call  esc back  ? keys  q quit"
    `);
  });

  it('the detail says what, where, why, how much and what now', () => {
    expect(shown(stateAfter('down', 'open'))).toMatchInlineSnapshot(`
      " call 3 against call 2      tools.reordered · certain: usage and provider agree
      ────────────────────────────────────────────────────────────────────────────────
       wedding-42 › researcher · claude-sonnet-5 · 10:00:20 · 4.0 s

       tools    system         messages
       ███╳▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓░░░░
       ~400 shared   19,500 billed again   ~1,100 new

       at      tools[1].name, byte 0 · tool git__log
       why     the same tools in another order
       cost    19,500 tokens billed again, $0.067 more than a cache read
       do      Send tools sorted by name.
       then    system.timestamp at system[0] (hidden behind this one)
       vendor  tools_changed, about 18,900 tokens · agrees









       n p alike  f first of them  t timeline  c compare  y copy  esc back  ? keys"
    `);
  });

  it('a call without a finding says so', () => {
    const text = shown(stateAfter('lineages', 'open', 'down', 'open'));
    expect(text).toContain('no finding');
    expect(text).toContain('The prompt only grew at its end. 95 % of 20,000 tokens were read from the');
  });
});

describe('any size', () => {
  const screens: Command[][] = [
    [],
    ['lineages'],
    ['lineages', 'open'],
    ['open'],
    ['open', 'compare', 'next', 'compare'],
    ['open', 'floor'],
    ['help'],
    ['filter'],
    ['jump'],
  ];

  it('has no more lines than the terminal has rows, and none wider than it', () => {
    for (const commands of screens) {
      for (const columns of [20, 40, 80, 200]) {
        for (const rows of [5, 10, 24, 60]) {
          const lines = screenLines(stateAfter(...commands), SOURCE, { columns, rows });
          expect(lines.length, `${commands} at ${columns}×${rows}`).toBeLessThanOrEqual(rows);
          expect(
            Math.max(...lines.map(widthOfLine)),
            `${commands} at ${columns}×${rows}`,
          ).toBeLessThanOrEqual(columns);
        }
      }
    }
  });

  it('keeps the chosen row in sight and says how much is cut off', () => {
    const calls = Array.from({ length: 60 }, (_, index) => reportedCall({ index }));
    const text = shown(press(loaded(calls), 'lineages', 'open', 'last', 'up', 'up'));
    expect(text).toMatch(/▸ {2}58 /);
    expect(text).toMatch(/↑ \d+ more/);
  });
});

describe('an empty source', () => {
  it('says what to do', () => {
    const done = reduce(initialState(), { type: 'done' });
    expect(shown(done)).toContain('Wrap your client with observe()');
    expect(shown(initialState())).toContain('Reading …');
    expect(shown(press(done, 'lineages'))).toContain('Wrap your client with observe()');
  });

  it('says why reading ended', () => {
    const failed = reduce(initialState(), { type: 'failed', reason: 'cannot read x: permission denied' });
    expect(shown(failed)).toContain('Reading stopped: cannot read x: permission denied');
  });
});

describe('a bar', () => {
  const shape = (line: Line) => line.map(({ text }) => text).join('');

  it('is read, written and uncached in proportion', () => {
    const call = reportedCall({ index: 1, tokens: tokens({ input: 100, cacheRead: 50, cacheWrite: 30 }) });
    expect(shape(callBar(call, 100, 10))).toBe('█████▓▓▓░░');
    expect(shape(callBar(call, 200, 10))).toBe('███▓░');
  });

  it('shows unknown usage as unknown', () => {
    const call = reportedCall({
      index: 1,
      tokens: tokens({ input: 100, cacheRead: null, cacheWrite: null }),
    });
    expect(shape(callBar(call, 100, 4))).toBe('····');
  });
});

describe('the caption of a strip', () => {
  const figures = (call: ReturnType<typeof reportedCall>) =>
    caption(call)
      .map(({ text }) => text)
      .join('')
      .trim();

  it('adds up to the input where the prompt held and was not read', () => {
    const lost = tokens({
      input: 149_097,
      cacheRead: 15_543,
      cacheWrite: 133_553,
      shared: 113_296,
      rebilled: 120_673,
    });
    expect(figures(reportedCall({ index: 1, miss: 'lookback_exceeded', tokens: lost }))).toBe(
      '15,543 read   120,673 billed again   ~12,881 new',
    );
  });

  it('marks what usage does not say', () => {
    const unknown = tokens({ input: 900, shared: 400, behind: 500, rebilled: null, method: 'estimated' });
    const call = reportedCall({
      index: 1,
      divergence: weddingCalls()[2]?.divergence ?? null,
      tokens: unknown,
    });
    expect(figures(call)).toBe('~400 shared   unknown what was billed again');
  });
});

describe('a strip', () => {
  it('gives every component room for its name and breaks where the prompt does', () => {
    const call = weddingCalls()[2] ?? reportedCall({ index: 0 });
    const strip = promptStrip(call, 78);
    expect(strip?.names.map(({ text }) => text.trim())).toEqual(['tools', 'system', 'messages']);
    expect(strip?.cells.map(({ text }) => text).join('')).toMatch(/^█+╳▓+░+$/);
    expect(strip && widthOfLine(strip.cells)).toBe(78);
  });

  it('of a lapsed prompt is written from its beginning', () => {
    const call = weddingCalls()[5] ?? reportedCall({ index: 0 });
    expect(
      promptStrip(call, 78)
        ?.cells.map(({ text }) => text)
        .join(''),
    ).toMatch(/^◷▓+░+$/);
  });

  it('shows what was read of a prompt that held and was lost behind it', () => {
    const layout = [{ component: 'messages' as const, tokens: 1_000, segments: 9, shared: true }];
    const half = tokens({ input: 1_000, cacheRead: 500, cacheWrite: 500, shared: 1_000, rebilled: 500 });
    const call = reportedCall({ index: 1, miss: 'lookback_exceeded', tokens: half, layout });
    expect(
      promptStrip(call, 20)
        ?.cells.map(({ text }) => text)
        .join(''),
    ).toBe(`${'█'.repeat(10)}◷${'▓'.repeat(9)}`);
  });

  it('is left out where the source holds no layout', () => {
    expect(promptStrip(reportedCall({ index: 0, layout: [] }), 78)).toBeNull();
  });
});
