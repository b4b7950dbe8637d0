/** What the sections of the page share: the report, in the order and number in which it is drawn. */
import type { CauseGroup } from '../../summary/groups.ts';
import { byMeasure } from '../../summary/measure.ts';
import type { LineageSummary } from '../../summary/summary.ts';
import type { Report } from '../report.ts';
import { shownRows, type TimelineRow } from './shown-rows.ts';

/** A file that opens at once and prints on a few sheets, however many calls there were. */
const MOST_FINDINGS = 40;
const MOST_LINEAGES = 200;
const MOST_TIMELINES = 40;
const MOST_ROWS_EACH = 100;
const MOST_ROWS = 2_000;

export interface Timeline {
  readonly lineage: LineageSummary;
  readonly rows: readonly TimelineRow[];
}

export interface PageContent {
  readonly report: Report;
  readonly showsExcerpts: boolean;
  /** All groups in the order of the table, each with its place there. */
  readonly groups: readonly CauseGroup[];
  /** Those that have a section of their own. */
  readonly detailed: readonly CauseGroup[];
  /** Costliest first. */
  readonly lineages: readonly LineageSummary[];
  readonly timelines: readonly Timeline[];
  /** Calls that have a row, so that others may point there. */
  readonly drawnCalls: ReadonlySet<number>;
}

export function pageContent(report: Report, showsExcerpts: boolean): PageContent {
  const { faults, circumstances, declared, lineages } = report.summary;
  const groups = [...faults, ...circumstances, ...declared];
  const ordered = [...lineages].sort(costliestFirst);
  const timelines: Timeline[] = [];
  let room = MOST_ROWS;
  for (const lineage of ordered.slice(0, MOST_TIMELINES)) {
    if (room <= 0) break;
    const held = shownRows(lineage.calls, Math.min(room, MOST_ROWS_EACH));
    const leftOut = lineage.totals.calls - lineage.calls.length;
    const rows = leftOut > 0 ? [...held, { leftOut }] : held;
    room -= rows.length;
    timelines.push({ lineage, rows });
  }
  const drawn = timelines.flatMap(({ rows }) =>
    rows.flatMap((row) => ('call' in row ? [row.call.index] : [])),
  );
  return {
    report,
    showsExcerpts,
    groups,
    detailed: groups.slice(0, MOST_FINDINGS),
    lineages: ordered.slice(0, MOST_LINEAGES),
    timelines,
    drawnCalls: new Set(drawn),
  };
}

function costliestFirst({ totals: left }: LineageSummary, { totals: right }: LineageSummary): number {
  return (
    byMeasure(left.avoidableUsd, right.avoidableUsd) ||
    byMeasure(left.usd, right.usd) ||
    byMeasure(left.inputTokens, right.inputTokens)
  );
}
