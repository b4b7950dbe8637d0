/** The sums of a ClickHouse server, and the calls that it is asked for: one implementation of `SummarySource`. */
import { HISTORY_STEPS } from '../../report/report.ts';
import { type CauseGroup, costliestFirst } from '../../summary/groups.ts';
import { sumOfMeasures } from '../../summary/measure.ts';
import type { ReportedCall } from '../../summary/reported-call.ts';
import { type LineageSummary, mostAvoidableFirst, type Summary } from '../../summary/summary.ts';
import { createSourceNotes, type SourceNotes } from '../notes.ts';
import type { SummarySource } from '../summary-source.ts';
import type { Answered, Asker } from './asker.ts';
import { callsSql } from './call-columns.ts';
import { checkFiguresOf } from './finding-rows.ts';
import { type GroupsWanted, groupsOf } from './group-rows.ts';
import { historyOf } from './history-row.ts';
import { lineagePage } from './lineage-rows.ts';
import { Processes } from './processes.ts';
import { CallReader } from './read-calls.ts';
import type { Row } from './run-query.ts';
import { spansOf } from './span-columns.ts';
import { sumsSql } from './sums.ts';
import { type Avoidable, numberOf, TOTALS_SQL, textOf, textOrNull, totalsOfRow } from './totals-row.ts';

/** What a report holds of a server: enough for its lists, however many calls there are. */
const REPORTED_LINEAGES = 1_000;
const HELD_LINEAGES = 300;
const HELD_CALLS = 20_000;
const LISTED_CALLS = 20;

export interface ClickhouseSummary extends SummarySource {
  readonly notes: SourceNotes;
}

export function clickhouseSummary(asker: Asker): ClickhouseSummary {
  const notes = createSourceNotes();
  const processes = new Processes();
  const reader = new CallReader();
  let known: Promise<Answered> | undefined;
  const learned = () => {
    known ??= processes.learn(asker);
    return known;
  };
  return {
    notes,
    async overview(steps) {
      const answered = await processes.learn(asker);
      known = Promise.resolve(answered);
      const summary = await summaryOf(answered, reader, notes, {
        lineages: OVERVIEW_LINEAGES,
        listedCalls: 0,
        pausesOf: 'lapsed',
      });
      return { summary, history: await historyOf(answered, summary.totals.calls, steps) };
    },
    async reportParts() {
      const answered = await learned();
      const bare = await summaryOf(answered, reader, notes, {
        lineages: REPORTED_LINEAGES,
        listedCalls: LISTED_CALLS,
        pausesOf: 'all',
      });
      const costliestKey = await costliestKeyOf(answered);
      await reader.byKeys(answered, costliestKey === null ? [] : [costliestKey]);
      const held = heldLineages(bare.lineages);
      const calls = await reader.ofLineages(answered, held, HELD_CALLS);
      await reader.numberByTime(answered);
      const numbered = new Map(reader.held().map((call) => [call.id, call]));
      const again = (call: ReportedCall) => numbered.get(call.id) ?? call;
      const summary = withCalls(bare, calls.map(again), again);
      const costliest =
        costliestKey === null ? undefined : (await reader.byKeys(answered, [costliestKey])).get(costliestKey);
      return {
        summary,
        costliest: costliest?.cost?.usd == null ? null : { call: costliest, usd: costliest.cost.usd },
        history: await historyOf(answered, summary.totals.calls, HISTORY_STEPS),
        calls: reader.held(),
      };
    },
    async checkFigures() {
      const answered = await learned();
      await noteUnreadable(answered, notes);
      return checkFiguresOf(answered, reader);
    },
    lineages: async (page) => lineagePage(await learned(), page),
    lineageCalls: async (lineage, page) => reader.ofLineage(await learned(), lineage, page),
  };
}

/** A first screen shows the five worst; the list of them asks for more. */
const OVERVIEW_LINEAGES = 20;

async function summaryOf(
  answered: Answered,
  reader: CallReader,
  notes: SourceNotes,
  { lineages: mostLineages, ...wanted }: GroupsWanted & { readonly lineages: number },
): Promise<Summary> {
  const { ask, columns } = answered;
  // At once: none needs the answer of another, and each leaves a processor idle for a part of its time.
  const [sums, { groups, savableTokens }, ranked, unpriced] = await Promise.all([
    ask(`SELECT grouping(Phase) = 0 AS isGrouped, Phase, ${TOTALS_SQL}
FROM ${sumsSql(columns)}
GROUP BY GROUPING SETS ((), (Phase))
ORDER BY firstMs`),
    groupsOf(answered, reader, wanted),
    lineagePage(answered, { offset: 0, limit: mostLineages }),
    ask(`SELECT ifNull(CallModel, 'unknown model') AS model, sum(Unpriced) AS calls
FROM ${sumsSql(columns)}
GROUP BY model
HAVING calls > 0
ORDER BY min(FirstUnpriced), model`),
    noteUnreadable(answered, notes),
  ]);
  const isAll = (row: Row) => numberOf(row.isGrouped) === 0;
  // Faults are what could have been saved: their sums are those of the totals and of the phases.
  const avoidableOf = (faults: readonly CauseGroup[]): Avoidable => ({
    tokens: sumOfMeasures(faults.map(({ rebilledTokens }) => rebilledTokens)),
    usd: sumOfMeasures(faults.map(({ rebilledUsd }) => rebilledUsd)),
    savableTokens: faults.reduce((sum, { id }) => sum + (savableTokens.get(id) ?? 0), 0),
  });
  const ordered = [...groups].sort(costliestFirst);
  const faults = ordered.filter(({ category }) => category === 'fault');
  return {
    totals: totalsOfRow(sums.find(isAll) ?? {}, avoidableOf(faults)),
    faults,
    circumstances: ordered.filter(({ category }) => category === 'circumstance'),
    declared: ordered.filter(({ category }) => category === 'declared'),
    phases: sums
      .filter((row) => !isAll(row))
      .map((row) => {
        const name = textOrNull(row.Phase);
        const ofPhase = faults.filter(({ phase }) => phase === name);
        return { name, totals: totalsOfRow(row, avoidableOf(ofPhase)) };
      })
      .sort(mostAvoidableFirst),
    lineages: [...ranked].sort((left, right) => (left.totals.firstMs ?? 0) - (right.totals.firstMs ?? 0)),
    unpriced: {
      count: unpriced.reduce((sum, row) => sum + numberOf(row.calls), 0),
      models: unpriced.map((row) => textOf(row.model)),
    },
  };
}

async function noteUnreadable({ ask, hasView }: Answered, notes: SourceNotes): Promise<void> {
  const rows = await ask(`SELECT Unreadable, count() AS calls FROM ${spansOf('unreadable', hasView)}
GROUP BY Unreadable ORDER BY min(Timestamp)`);
  notes.unreadable.count = 0;
  notes.unreadable.first.length = 0;
  for (const row of rows) {
    notes.unreadable.add({ source: null, reason: textOf(row.Unreadable) });
    notes.unreadable.count += numberOf(row.calls) - 1;
  }
}

async function costliestKeyOf({ ask, columns }: Answered): Promise<string | null> {
  const [row] = await ask(`SELECT count() AS calls, toString(argMin(Key, (-Usd, At, Key))) AS KeyText
FROM ${callsSql(columns)} WHERE Usd IS NOT NULL`);
  return row === undefined || numberOf(row.calls) === 0 ? null : textOf(row.KeyText);
}

/** Whole lineages, as long as there is room. */
function heldLineages(lineages: readonly LineageSummary[]): string[] {
  let room = HELD_CALLS;
  const names: string[] = [];
  for (const { name, totals } of [...lineages].sort(mostAvoidableFirst)) {
    if (names.length === HELD_LINEAGES) break;
    if (totals.calls > room) continue;
    room -= totals.calls;
    names.push(name);
  }
  return names;
}

function withCalls(
  summary: Summary,
  calls: readonly ReportedCall[],
  again: (call: ReportedCall) => ReportedCall,
): Summary {
  const byLineage = new Map<string, ReportedCall[]>();
  for (const call of calls) {
    const list = byLineage.get(call.lineage);
    if (list) list.push(call);
    else byLineage.set(call.lineage, [call]);
  }
  const renewed = (groups: Summary['faults']) =>
    groups.map((group) => ({ ...group, worst: again(group.worst), calls: group.calls.map(again) }));
  return {
    ...summary,
    faults: renewed(summary.faults),
    circumstances: renewed(summary.circumstances),
    declared: renewed(summary.declared),
    lineages: summary.lineages.map((lineage) => ({ ...lineage, calls: byLineage.get(lineage.name) ?? [] })),
  };
}
