/** Lineages, those with most to tell first, a page at a time: ranked by their sums, described where they are shown. */
import type { LineageSummary } from '../../summary/summary.ts';
import type { Answered } from './asker.ts';
import { judgedSql } from './call-columns.ts';
import { LINEAGES_SQL, lineageParams } from './read-calls.ts';
import { callSumsSql, sumsSql } from './sums.ts';
import {
  AVOIDABLE_SQL,
  avoidableOfRow,
  numberOf,
  numberOrNull,
  TOTALS_SQL,
  textOf,
  textsOf,
  totalsOfRow,
} from './totals-row.ts';

export async function lineagePage(
  { ask, columns, lineageNames }: Answered,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<LineageSummary[]> {
  const ranked = await ask(
    `SELECT any(Instance) AS instance, any(Lineage) AS lineage, ${AVOIDABLE_SQL}, sum(UsdSum) AS AllUsd
FROM ${rankableSql(columns)}
GROUP BY cityHash64(Instance, Lineage)
ORDER BY ${rankSql('avoidableUsd')} DESC, ${rankSql('avoidable')} DESC, ifNull(AllUsd, -1) DESC, min(First), instance, lineage
LIMIT {limit:UInt64} OFFSET {offset:UInt64}`,
    { limit, offset },
  );
  if (ranked.length === 0) return [];
  const parts = ranked.map((row) => ({ instance: textOf(row.instance), lineage: textOf(row.lineage) }));
  const rows = await ask(
    `SELECT Instance, Lineage, ${TOTALS_SQL}, ${AVOIDABLE_SQL},
  argMin(tuple(ifNull(Thread, ''), ifNull(Phase, ''), ifNull(Delegation, '')), (At, Key)) AS firstScope,
  max(toUnixTimestamp64Milli(At)) AS lastAtMs,
  argMax(tuple(LifetimeSeconds), (At, Key)).1 AS lifetimeSeconds,
  arrayDistinct(arrayMap(pair -> pair.2, arraySort(groupArray((At, ifNull(CallModel, 'unknown model')))))) AS models
FROM ${callSumsSql(columns, LINEAGES_SQL)}
GROUP BY Instance, Lineage`,
    lineageParams(parts),
  );
  const described = new Map(
    rows.map((row) => {
      const name = lineageNames.nameOf(textOf(row.Instance), textOf(row.Lineage));
      const lifetimeSeconds = numberOrNull(row.lifetimeSeconds);
      const words = textsOf(row.firstScope).filter((part) => part !== '');
      const lineage: LineageSummary = {
        name,
        words: words.length === 0 ? name : words.join(' › '),
        models: textsOf(row.models),
        lastAt: new Date(numberOf(row.lastAtMs)).toISOString(),
        lifetimeMs: lifetimeSeconds === null ? null : lifetimeSeconds * 1_000,
        calls: [],
        totals: totalsOfRow(row, avoidableOfRow(row)),
      };
      return [name, lineage];
    }),
  );
  return parts.flatMap(
    ({ instance, lineage }) => described.get(lineageNames.nameOf(instance, lineage)) ?? [],
  );
}

/** Sums of any kind, and those findings that decide about the rank. */
function rankableSql(columns: Answered['columns']): string {
  if (!columns.hasHours) return callSumsSql(columns);
  return `(SELECT Instance, Lineage, UsdSum, First,
  NULL AS Read, NULL AS Rebilled, NULL AS RebilledUsd, 0 AS IsEstimated, 0 AS IsFault FROM ${sumsSql(columns)}
UNION ALL
SELECT Instance, Lineage, NULL AS UsdSum, At AS First,
  Read, Rebilled, RebilledUsd, IsEstimated, IsFault FROM ${judgedSql(columns, 'IsNotable AND Finding')})`;
}

/** As `byMeasure` has it: what is unknown comes last, and nothing to add up is a zero. */
function rankSql(name: string): string {
  return `ifNull(${name}, if(${name}Unknown = 0, 0, -1))`;
}
