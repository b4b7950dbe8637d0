/** What `check` holds to its limits. The server groups by place as it is written, the rule of which places are one is applied here. */

import type { Component } from '../../../src/diagnosis.ts';
import { type CheckFigures, type FindingGroup, mostRebilledFirst } from '../../check/check-result.ts';
import { type KnownFinding, keyOf, knownFindingOf } from '../../check/known-findings.ts';
import { UserError } from '../../errors.ts';
import { sumOfMeasures } from '../../summary/measure.ts';
import type { ReportedCall } from '../../summary/reported-call.ts';
import type { Answered } from './asker.ts';
import { callsSql, notableSql } from './call-columns.ts';
import type { CallReader } from './read-calls.ts';
import type { Row } from './run-query.ts';
import { measureOf, measureSql, numberOf, textOf, textOrNull } from './totals-row.ts';

const MOST_PLACES = 50_000;
/** Of each finding so many calls are named. */
const LISTED_CALLS = 20;

export async function checkFiguresOf(answered: Answered, reader: CallReader): Promise<CheckFigures> {
  const { ask, columns } = answered;
  const [sums = {}] = await ask(`SELECT count() AS calls,
  countIf(Read IS NULL AND Certainty != 'observed') AS unmeasured,
  toFloat64(sumIf(Input, Read IS NOT NULL)) AS input, toFloat64(sum(Read)) AS read
FROM ${callsSql(columns)}`);
  const places = await ask(`SELECT Cause, Phase, HasDivergence, DivergenceKind, Component, Label, Path,
  count() AS calls,
  ${measureSql('rebilled', 'Rebilled')},
  ${measureSql('rebilledUsd', 'RebilledUsd')},
  toString(argMin(Key, (-ifNull(Rebilled, -1), At, Key))) AS worst,
  max(ifNull(Rebilled, -1)) AS most,
  arrayMap(pair -> toString(pair.2), groupArraySorted(${LISTED_CALLS})((At, Key))) AS listed
FROM ${notableSql(columns)}
WHERE Finding
GROUP BY Cause, Phase, HasDivergence, DivergenceKind, Component, Label, Path
ORDER BY min(At)
LIMIT ${MOST_PLACES + 1}`);
  if (places.length > MOST_PLACES)
    throw new UserError(`more than ${MOST_PLACES} different findings: ask for less with --since`);
  const input = numberOf(sums.input);
  return {
    calls: numberOf(sums.calls),
    unmeasuredCalls: numberOf(sums.unmeasured),
    hitRate: input > 0 ? numberOf(sums.read) / input : null,
    groups: await groupsOf(answered, reader, places),
  };
}

async function groupsOf(
  answered: Answered,
  reader: CallReader,
  places: readonly Row[],
): Promise<FindingGroup[]> {
  const members = new Map<string, { finding: KnownFinding; rows: Row[] }>();
  for (const row of places) {
    const finding = knownFindingOf(recognisable(row));
    const key = keyOf(finding);
    const group = members.get(key);
    if (group) group.rows.push(row);
    else members.set(key, { finding, rows: [row] });
  }
  const groups = [...members.values()].map(({ finding, rows }) => ({
    finding,
    rows,
    worst: textOf(rows.reduce((most, row) => (numberOf(row.most) > numberOf(most.most) ? row : most)).worst),
    // Of few places all, of many the first of each until there are enough.
    listed: rows
      .flatMap(({ listed }) => (Array.isArray(listed) ? listed.map(String) : []))
      .slice(0, LISTED_CALLS),
  }));
  await reader.byKeys(
    answered,
    groups.flatMap(({ worst, listed }) => [worst, ...listed]),
  );
  await reader.numberByTime(answered);
  const calls = await reader.byKeys(
    answered,
    groups.flatMap(({ worst, listed }) => [worst, ...listed]),
  );
  const callOf = (key: string) => {
    const call = calls.get(key);
    return call === undefined ? undefined : { ...call, excerpt: null };
  };
  return groups
    .flatMap(({ finding, rows, worst: worstKey, listed }): FindingGroup[] => {
      const worst = callOf(worstKey);
      if (worst === undefined) return [];
      return [
        {
          ...finding,
          callCount: rows.reduce((sum, row) => sum + numberOf(row.calls), 0),
          rebilledTokens: sumOfMeasures(rows.map((row) => measureOf(row, 'rebilled'))),
          rebilledUsd: sumOfMeasures(rows.map((row) => measureOf(row, 'rebilledUsd'))),
          calls: listed.flatMap((key) => callOf(key) ?? []).sort((left, right) => left.index - right.index),
          worst,
        },
      ];
    })
    .sort(mostRebilledFirst);
}

/** As much of a call as its finding is known by. */
function recognisable(row: Row): Parameters<typeof knownFindingOf>[0] {
  const path = textOf(row.Path);
  const divergence: ReportedCall['divergence'] =
    numberOf(row.HasDivergence) === 0
      ? null
      : {
          component: textOf(row.Component) as Component, // read as the same word that the span has
          kind: textOf(row.DivergenceKind),
          path,
          leaf: path,
          byteOffset: null,
          label: textOf(row.Label),
          also: [],
          advice: '',
        };
  const isNamedByKind = divergence !== null && divergence.kind === row.Cause;
  return {
    // The server has chosen the name already.
    expected: isNamedByKind ? null : textOf(row.Cause),
    divergence,
    miss: null,
    finding: true,
    scope: { thread: null, phase: textOrNull(row.Phase), delegation: null },
  };
}
