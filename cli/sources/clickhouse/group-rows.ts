/** Losses by cause and phase: cli/summary/groups.ts in the server's words. */
import type { Miss } from '../../../src/diagnosis.ts';
import type { CauseGroup } from '../../summary/groups.ts';
import type { Answered } from './asker.ts';
import { callsSql, notableSql } from './call-columns.ts';
import type { CallReader } from './read-calls.ts';
import { spansOf } from './span-columns.ts';
import {
  measureOf,
  measureSql,
  numberOf,
  numberOrNull,
  SAVABLE_SQL,
  textOf,
  textOrNull,
} from './totals-row.ts';

const LAPSED: Miss = 'ttl_expired';
const IS_RESET = '(Finding OR ifNull(Rebilled, 0) > 0)';

export interface GroupsWanted {
  readonly listedCalls: number;
  /** The longest pause is shown of lapsed entries alone; to find when all the baselines began goes through all calls. */
  readonly pausesOf: 'all' | 'lapsed';
}

/** Past the index of keys, which finds few: to look up many in it takes longer than to read all. */
const KEY_AMONG_MANY = '(Key + 0)';

export interface Grouped {
  /** In the order in which they began; each with its costliest call and so many of the first ones. */
  readonly groups: CauseGroup[];
  /** Of each group by its id: how much less would have been billed as input, had its prefixes held. */
  readonly savableTokens: ReadonlyMap<string, number>;
}

export async function groupsOf(
  answered: Answered,
  reader: CallReader,
  { listedCalls, pausesOf }: GroupsWanted,
): Promise<Grouped> {
  const { ask, columns } = answered;
  const notable = notableSql(columns);
  const baselines =
    pausesOf === 'all'
      ? `(SELECT BaselineKey FROM ${notable} WHERE BaselineKey != 0)`
      : spansOf('miss', columns.hasView, { select: 'BaselineKey', condition: `Miss = '${LAPSED}'` });
  const rows = await ask(`SELECT Category, Cause, ifNull(Phase, '') AS PhaseName,
  argMin(tuple(Phase), (n.At, n.Key)).1 AS FirstPhase,
  count() AS calls,
  ${measureSql('rebilled', 'Rebilled')},
  ${measureSql('rebilledUsd', 'RebilledUsd')},
  ${SAVABLE_SQL},
  countIf(${IS_RESET}) AS resets,
  ${measureSql('resetTokens', 'Rebilled', IS_RESET)},
  ${measureSql('resetUsd', 'RebilledUsd', IS_RESET)},
  uniqExact(Path) + (countIf(Path IS NULL) > 0) AS places,
  toString(argMin(n.Key, (-ifNull(RebilledUsd, -1), -ifNull(Rebilled, -1), n.At, n.Key))) AS worst,
  maxOrNull(if(b.Key = 0, NULL, greatest(0, toUnixTimestamp64Milli(n.At) - toUnixTimestamp64Milli(b.At)))) AS longestIdleMs
FROM ${notable} AS n
LEFT ANY JOIN ${callsSql(columns, `${KEY_AMONG_MANY} IN ${baselines}`)} AS b ON b.Key = n.BaselineKey
WHERE Category != 'quiet'
GROUP BY Category, Cause, PhaseName
ORDER BY min(n.At), min(n.Key)`);
  const idOf = (row: (typeof rows)[number]) =>
    [textOf(row.Category), textOf(row.Cause), textOf(row.PhaseName)].join('\n');
  const listed = new Map<string, string[]>();
  if (listedCalls > 0) {
    const keys = await ask(
      `SELECT Category, Cause, ifNull(Phase, '') AS PhaseName, toString(Key) AS KeyText
FROM ${notable} WHERE Category != 'quiet'
ORDER BY At, Key
LIMIT {listed:UInt64} BY Category, Cause, PhaseName`,
      { listed: listedCalls },
    );
    for (const row of keys) {
      const list = listed.get(idOf(row)) ?? [];
      list.push(textOf(row.KeyText));
      listed.set(idOf(row), list);
    }
  }
  const calls = await reader.byKeys(answered, [
    ...rows.map((row) => textOf(row.worst)),
    ...[...listed.values()].flat(),
  ]);
  const groups = rows.flatMap((row): CauseGroup[] => {
    const worst = calls.get(textOf(row.worst));
    // It was removed between two questions.
    if (worst === undefined) return [];
    const members = (listed.get(idOf(row)) ?? [textOf(row.worst)]).flatMap((key) => calls.get(key) ?? []);
    return [
      {
        id: idOf(row),
        category: row.Category as CauseGroup['category'], // quiet ones are left out
        cause: textOf(row.Cause),
        phase: textOrNull(row.FirstPhase),
        path: worst.divergence?.path ?? null,
        placeCount: numberOf(row.places),
        callCount: numberOf(row.calls),
        calls: members,
        worst,
        rebilledTokens: measureOf(row, 'rebilled'),
        rebilledUsd: measureOf(row, 'rebilledUsd'),
        resets: {
          calls: numberOf(row.resets),
          rebilledTokens: measureOf(row, 'resetTokens'),
          rebilledUsd: measureOf(row, 'resetUsd'),
        },
        longestIdleMs: numberOrNull(row.longestIdleMs),
      },
    ];
  });
  return { groups, savableTokens: new Map(rows.map((row) => [idOf(row), numberOf(row.savable)])) };
}
