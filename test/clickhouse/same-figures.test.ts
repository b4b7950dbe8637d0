import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportOf } from '../../cli/report/report.ts';
import { reportJson } from '../../cli/report/report-json.ts';
import { reportText } from '../../cli/report/report-text.ts';
import { readAll } from '../../cli/sources/call-source.ts';
import { createAsker } from '../../cli/sources/clickhouse/asker.ts';
import {
  type ClickhouseSummary,
  clickhouseSummary,
} from '../../cli/sources/clickhouse/clickhouse-summary.ts';
import type { RunQuery } from '../../cli/sources/clickhouse/run-query.ts';
import type { TimeRange } from '../../cli/sources/clickhouse/time-range.ts';
import { localStoreSource } from '../../cli/sources/local-store.ts';
import { createSourceNotes } from '../../cli/sources/notes.ts';
import { SpanJoiner } from '../../cli/sources/span-joiner.ts';
import { type SummarySource, summarySourceOf } from '../../cli/sources/summary-source.ts';
import type { ReportedCall } from '../../cli/summary/reported-call.ts';
import { createStyle } from '../../cli/terminal/style.ts';
import type { StoredSpan } from '../../src/store/otlp-json.ts';
import { readSpans } from '../../src/store/reader.ts';
import { recordStore } from '../support/recorded-store.ts';
import { cost, divergence, reportedCall, tokens, weddingCalls } from '../support/reported-calls.ts';
import { runDemoStory } from './support/demo-store.ts';
import { type Engine, engineWord, hasEngine, startEngine } from './support/engine.ts';
import { hoursDefinition, insertSpans, TRACES_TABLE, viewDefinition } from './support/traces-table.ts';

const EVERYTHING = { sinceMs: Date.UTC(2020, 0, 1), untilMs: Date.UTC(2030, 0, 1) };

let engine: Engine;
let folder: string;
let count = 0;
beforeAll(async () => {
  if (!hasEngine) return;
  engine = startEngine();
  folder = await mkdtemp(join(tmpdir(), 'prefixtrace-clickhouse-'));
});
afterAll(async () => {
  engine?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** What the server holds: the exporter's table alone, the view as well, or the table of hours beside both. */
type Where = 'table' | 'view' | 'hours';
const WORDS: Readonly<Record<Where, string>> = {
  table: "in the exporter's own table",
  view: 'through the view',
  hours: 'through the view and its table of hours',
};

interface Both {
  readonly local: SummarySource;
  readonly server: ClickhouseSummary;
  readonly serverIn: (range: TimeRange) => ClickhouseSummary;
  readonly calls: readonly ReportedCall[];
  readonly view: string;
  readonly sendAgain: (some: (spans: StoredSpan[]) => StoredSpan[]) => void;
}

async function bothOf(
  record: (directory: string) => Promise<void> | void,
  {
    where = 'table' as Where,
    changed = (spans: StoredSpan[]): StoredSpan[] => spans,
    /** The local figures are those of the changed spans. */
    joined = false,
  } = {},
): Promise<Both> {
  count += 1;
  const directory = join(folder, String(count));
  await record(directory);
  const spans: StoredSpan[] = [];
  for await (const span of readSpans(directory)) spans.push(span);
  const calls = joined
    ? new SpanJoiner(createSourceNotes().unreadable).add(changed(spans))
    : await readAll(localStoreSource(directory, 'store'));
  const table = `traces_${count}`;
  const view = `calls_${count}`;
  engine.command(TRACES_TABLE(table));
  if (where !== 'table') for (const statement of viewDefinition(table, view)) engine.command(statement);
  if (where === 'hours') for (const statement of hoursDefinition(view)) engine.command(statement);
  insertSpans(engine, table, changed(spans));
  const place = { database: 'default', table, view: where === 'table' ? null : view };
  const serverIn = (range: TimeRange) => clickhouseSummary(createAsker(engine.run, place, range));
  return {
    local: summarySourceOf(calls),
    server: serverIn(EVERYTHING),
    serverIn,
    calls,
    view,
    sendAgain: (some) => insertSpans(engine, table, some(spans)),
  };
}

/** Sums of fractions differ in their last digits by the order in which they were added up. */
expect.addEqualityTesters([
  (left: unknown, right: unknown) =>
    typeof left === 'number' && typeof right === 'number' && Number.isFinite(left) && left !== right
      ? Math.abs(left - right) <= 1e-9 * Math.max(1, Math.abs(left))
      : undefined,
]);

const reportForms = async (source: SummarySource) => {
  const none = { count: 0, first: [] };
  const notes = { unreadFiles: none, unreadable: none, skippedLines: none };
  const report = reportOf('run', await source.reportParts(), notes, () => ({
    tokens: 200_000,
    dearerAboveTokens: null,
  }));
  return {
    text: reportText(report, { style: createStyle(false), columns: 100 }),
    json: JSON.parse(reportJson(report)),
  };
};

const checkOf = async (source: SummarySource) => {
  const { groups, ...rest } = await source.checkFigures();
  const listed = groups.map(({ calls, worst, ...group }) => ({
    ...group,
    worst: { ...worst, layout: [], floor: null, excerpt: null },
    calls: calls.slice(0, 20).map(({ id }) => id),
  }));
  return { ...rest, groups: listed };
};

async function expectSameFigures({ local, server }: Pick<Both, 'local' | 'server'>): Promise<void> {
  const [here, there] = [await reportForms(local), await reportForms(server)];
  expect(there.text).toBe(here.text);
  expect(withFewCalls(there.json)).toEqual(withFewCalls(here.json));
  expect(await checkOf(server)).toEqual(await checkOf(local));
  const [localOverview, overview] = [await local.overview(24), await server.overview(24)];
  expect(overview.history).toEqual(localOverview.history);
  expect(overview.summary.totals).toEqual(localOverview.summary.totals);
}

/** As of a process that began a day later. */
function asOfAnotherProcess(lines: string): string {
  return lines
    .replaceAll(/"(traceId|spanId|parentSpanId)":"./g, '"$1":"e')
    .replaceAll(/("key":"service.instance.id","value":\{"stringValue":")/g, '$1other-')
    .replaceAll(/"(start|end)TimeUnixNano":"(\d+)(\d{9})"/g, (_, end, seconds, rest) => {
      return `"${end}TimeUnixNano":"${Number(seconds) + 86_400}${rest}"`;
    });
}

/** The call's attributes on a span of ours below that of the client, which knows the model and the times. */
function beneathItsClient(span: StoredSpan): StoredSpan[] {
  if (span.attributes['prompt_cache.lineage'] === undefined) return [span];
  const outer: StoredSpan = {
    ...span,
    spanId: `f${span.spanId.slice(1)}`,
    startMs: span.startMs - 5,
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'claude-of-the-client' },
  };
  return [outer, { ...span, name: 'prompt_cache.call', parentSpanId: outer.spanId }];
}

/** Of each cause the server lists the first calls. */
function withFewCalls(report: unknown): unknown {
  const few = (groups: { calls: unknown[] }[]) =>
    groups.map((group) => ({ ...group, calls: group.calls.slice(0, 20) }));
  const { findings, notThePrompt, declared, ...rest } = report as Record<string, { calls: unknown[] }[]>;
  return {
    ...rest,
    findings: few(findings ?? []),
    notThePrompt: few(notThePrompt ?? []),
    declared: few(declared ?? []),
  };
}

/** Doubts of every sort: no usage, estimates, no price, a rejected request, nothing that explains a loss. */
function doubtfulCalls(): ReportedCall[] {
  const later = (index: number) => new Date(Date.UTC(2026, 10, 30, 11, index)).toISOString();
  const doubtful = [
    reportedCall({ index: 8, scope: { thread: null, phase: null, delegation: null }, lineage: 'l3' }),
    reportedCall({
      index: 9,
      scope: { thread: null, phase: null, delegation: null },
      lineage: 'l3',
      finding: true,
      outcome: 'partial',
      tokens: tokens({ input: 4_000, cacheRead: 100, rebilled: 900, method: 'calibrated' }),
      cost: cost(null, null),
      model: 'unpriced-model',
    }),
    reportedCall({
      index: 10,
      miss: 'request_rejected',
      outcome: 'unknown',
      tokens: tokens({ input: 90, cacheRead: null, cacheWrite: null, uncached: null, rebilled: null }),
      cost: null,
    }),
    reportedCall({
      index: 11,
      miss: 'lookback_exceeded',
      finding: true,
      outcome: 'partial',
      tokens: tokens({ input: 9_000, cacheRead: 0, rebilled: null, method: 'estimated' }),
      cost: cost(0.02, null),
    }),
    reportedCall({
      index: 12,
      divergence: divergence({ kind: 'messages.edited', path: 'messages[4].content', label: 'an old one' }),
      outcome: 'hit',
    }),
    reportedCall({
      index: 13,
      divergence: divergence({ kind: 'messages.edited', path: 'messages[11].content' }),
      finding: true,
      outcome: 'partial',
      scope: { thread: "it's\n\\'; DROP TABLE x; --", phase: "{a:String}'", delegation: 'ü' },
      tokens: tokens({ input: 3_000, cacheRead: 1_000, rebilled: 700 }),
    }),
  ];
  // Numbers follow times, as they do where one process writes a store.
  return [...weddingCalls(), ...doubtful.map((call) => ({ ...call, at: later(call.index) }))];
}

/** Eight calls in each of six hours, of two lineages and three phases, some lost by the prompt and some by time. */
function callsOfHours(): ReportedCall[] {
  return Array.from({ length: 6 }, (_, hour) => hour).flatMap((hour) =>
    doubtfulCalls()
      .slice(0, 8)
      .map((call, place) => ({
        ...call,
        index: hour * 8 + place,
        baseline: call.baseline === null ? null : hour * 8 + call.baseline,
        lineage: place % 3 === 0 ? 'l2' : 'l1',
        at: new Date(Date.UTC(2026, 10, 30, 10 + hour, 7 * place, 59, 999)).toISOString(),
      })),
  );
}

describe.skipIf(!hasEngine)(`ClickHouse and the local store${engineWord}`, () => {
  for (const where of ['table', 'view', 'hours'] as const) {
    const words = WORDS[where];

    it(`give the same figures for calls with one of each sort of loss, ${words}`, async () => {
      await expectSameFigures(await bothOf((directory) => recordStore(directory, weddingCalls()), { where }));
    });

    it(`give the same figures where usage, prices and causes are unknown or estimated, ${words}`, async () => {
      await expectSameFigures(
        await bothOf((directory) => recordStore(directory, doubtfulCalls()), { where }),
      );
    });

    it(`give the same figures for the demo, ${words}`, async () => {
      await expectSameFigures(await bothOf(runDemoStory, { where }));
    });

    it(`give the same figures for a store of 3,000 calls, ${words}`, async () => {
      const made = await bothOf(
        (directory) => {
          execFileSync(process.execPath, ['test/bench/make-store.mjs', '3000', directory]);
        },
        { where },
      );
      expect(made.calls.length).toBe(3_000);
      await expectSameFigures(made);
    }, 60_000);

    it(`give the same figures where there is no call, ${words}`, async () => {
      const both = await bothOf((directory) => recordStore(directory, weddingCalls()), {
        where,
        changed: () => [],
      });
      await expectSameFigures({ ...both, local: summarySourceOf([]) });
    });
  }

  describe('with a table of hours', () => {
    const HOUR_MS = 3_600_000;
    const recordHours = (directory: string) => recordStore(directory, callsOfHours());

    /** More input without a call more: where it is seen, the table of hours was read. */
    function mark(view: string, startMs: number): void {
      engine.command(
        `INSERT INTO ${view}_hourly (Hour, Instance, Lineage, Calls, InputSum) SELECT toDateTime(${startMs / 1_000}, 'UTC'), Instance, Lineage, 0, 1000000 FROM ${view} WHERE Kind = 'call' LIMIT 1`,
      );
    }

    const inputOf = async (source: SummarySource) =>
      (await source.overview(8)).summary.totals.inputTokens.value ?? 0;

    async function expectSameFiguresIn({ calls, serverIn }: Both, range: TimeRange & { untilMs: number }) {
      const within = calls.filter(({ at }) => {
        const atMs = Date.parse(at ?? '');
        return atMs >= range.sinceMs && atMs < range.untilMs;
      });
      expect(within.length).toBeGreaterThan(2);
      // Numbers count the calls of the range.
      const numbers = new Map(within.map(({ index }, number) => [index, number]));
      const numbered = within.map((call, index) => ({
        ...call,
        index,
        baseline: call.baseline === null ? null : (numbers.get(call.baseline) ?? null),
      }));
      await expectSameFigures({ local: summarySourceOf(numbered), server: serverIn(range) });
    }

    it('take whole hours from it, and what the range cuts from the rows', async () => {
      const both = await bothOf(recordHours, { where: 'hours' });
      const firstMs = Date.UTC(2026, 10, 30, 10);
      for (const [sinceMs, untilMs] of [
        [firstMs, firstMs + 6 * HOUR_MS],
        [firstMs + 17 * 60_000, firstMs + 6 * HOUR_MS],
        [firstMs, firstMs + 5 * HOUR_MS - 7_001],
        [firstMs + HOUR_MS + 1, firstMs + 3 * HOUR_MS - 1],
        [firstMs + 30 * 60_000, firstMs + 50 * 60_000],
      ] as const)
        await expectSameFiguresIn(both, { sinceMs, untilMs });
      const inputIn = (sinceMs: number, untilMs: number) => inputOf(both.serverIn({ sinceMs, untilMs }));
      const lastMs = firstMs + 6 * HOUR_MS;
      const [whole, cut] = [await inputIn(firstMs, lastMs), await inputIn(firstMs + 1, lastMs)];
      mark(both.view, firstMs);
      expect(await inputIn(firstMs, lastMs)).toBe(whole + 1_000_000);
      expect(await inputIn(firstMs + 1, lastMs)).toBe(cut);
    }, 60_000);

    it('give the same figures for spans that the collector sent twice, once the view has dropped them', async () => {
      const both = await bothOf(recordHours, { where: 'hours' });
      both.sendAgain((spans) => spans.slice(40, 90));
      engine.command(`OPTIMIZE TABLE ${both.view} FINAL`);
      const [counted = {}] = await engine.run(`SELECT sum(Calls) AS calls FROM ${both.view}_hourly`, {});
      expect(Number(counted.calls)).toBeGreaterThan(both.calls.length);
      await expectSameFigures(both);
    }, 60_000);

    it('give the same figures for calls that came before it was made, or late', async () => {
      const both = await bothOf(recordHours, { where: 'view', changed: (spans) => spans.slice(0, 70) });
      for (const statement of hoursDefinition(both.view)) engine.command(statement);
      both.sendAgain((spans) => spans.slice(70).reverse());
      await expectSameFigures(both);
    }, 60_000);

    it('read calls row by row where other spans say when they began', async () => {
      const both = await bothOf(async (directory) => recordStore(directory, weddingCalls()), {
        changed: (spans) => spans.flatMap(beneathItsClient),
        joined: true,
        where: 'hours',
      });
      await expectSameFigures(both);
    });
  });

  it('give the same figures for the lineages of several processes that have the same names', async () => {
    const both = await bothOf(async (directory) => {
      const { appendFile, mkdir, readFile } = await import('node:fs/promises');
      const first = join(directory, 'first');
      await recordStore(first, weddingCalls());
      const [file = ''] = (await readdir(first)).filter((name) => name.endsWith('.jsonl'));
      const text = await readFile(join(first, file), 'utf8');
      await mkdir(directory, { recursive: true });
      await appendFile(join(directory, 'calls-1.jsonl'), text);
      await appendFile(join(directory, 'calls-2.jsonl'), asOfAnotherProcess(text));
    });
    expect((await both.local.overview(8)).summary.totals.lineages).toBe(4);
    await expectSameFigures(both);
  });

  it('give the same figures where a call has its own span beneath that of its client', async () => {
    const both = await bothOf(async (directory) => recordStore(directory, weddingCalls()), {
      changed: (spans) => spans.flatMap(beneathItsClient),
      joined: true,
    });
    expect(both.calls[0]?.model).toBe('claude-of-the-client');
    await expectSameFigures(both);
  });

  it('find a divergence that came long after its call, in another part of the table', async () => {
    const isChild = ({ name }: StoredSpan) => name.startsWith('prompt_cache.');
    await expectSameFigures(
      await bothOf((directory) => recordStore(directory, weddingCalls()), {
        changed: (spans) => [...spans.filter((span) => !isChild(span)), ...spans.filter(isChild)],
      }),
    );
  });

  it('count no call outside of the range, and still join what ends behind it', async () => {
    const both = await bothOf((directory) => recordStore(directory, weddingCalls()));
    const narrow = clickhouseSummary(
      createAsker(
        engine.run,
        { database: 'default', table: `traces_${count}`, view: null },
        { sinceMs: Date.parse(both.calls[1]?.at ?? ''), untilMs: Date.parse(both.calls[3]?.at ?? '') },
      ),
    );
    const { summary } = await narrow.overview(8);
    expect(summary.totals.calls).toBe(2);
    expect(summary.faults.map(({ cause }) => cause)).toEqual(['tools.reordered']);
  });

  it('ask at once for the parts of an overview that need no answer of one another', async () => {
    const { calls } = await bothOf((directory) => recordStore(directory, weddingCalls()));
    let open = 0;
    let mostOpen = 0;
    const slow: RunQuery = async (sql, params) => {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      await new Promise((resolve) => setTimeout(resolve, 10));
      open -= 1;
      return engine.run(sql, params);
    };
    const place = { database: 'default', table: `traces_${count}`, view: null };
    const { summary } = await clickhouseSummary(createAsker(slow, place, EVERYTHING)).overview(8);
    expect(summary.totals.calls).toBe(calls.length);
    expect(mostOpen).toBe(5);
  });

  it('hand out lineages and calls in pages', async () => {
    const { server, local } = await bothOf((directory) => recordStore(directory, weddingCalls()));
    for (const page of [
      { offset: 0, limit: 1 },
      { offset: 1, limit: 1 },
      { offset: 2, limit: 1 },
    ]) {
      const names = async (source: SummarySource) => (await source.lineages(page)).map(({ name }) => name);
      const ids = async (source: SummarySource) =>
        (await source.lineageCalls('l1', page)).map(({ id }) => id);
      expect(await names(server)).toEqual(await names(local));
      expect(await ids(server)).toEqual(await ids(local));
    }
  });

  it('take what was recorded for a value and never for SQL', async () => {
    const { server } = await bothOf((directory) => recordStore(directory, doubtfulCalls()));
    for (const name of ["l1' OR 1=1 --", "7·l1'; DROP TABLE x", '{a:String}', "\\'", '\u0000'])
      expect(await server.lineageCalls(name, { offset: 0, limit: 10 })).toEqual([]);
    const run = clickhouseSummary(
      createAsker(
        engine.run,
        {
          database: 'default',
          table: `traces_${count}\` WHERE 1; DROP TABLE traces_${count}; --`,
          view: null,
        },
        EVERYTHING,
      ),
    );
    await expect(run.overview(8)).rejects.toThrow(/UNKNOWN_TABLE/);
    expect((await server.overview(8)).summary.totals.calls).toBe(14);
  });

  it('give a call the same content, but for the text that a server was not given', async () => {
    const { server, calls } = await bothOf((directory) => recordStore(directory, doubtfulCalls()));
    const lineage = await server.lineageCalls('l1', { offset: 0, limit: 100 });
    const strip = (call: ReportedCall) => ({
      ...call,
      index: 0,
      baseline: call.baseline === null ? null : 0,
    });
    expect(lineage.map(strip)).toEqual(calls.filter((call) => call.lineage === 'l1').map(strip));
  });
});
