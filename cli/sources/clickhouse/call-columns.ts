/** Calls, and what became of them, as subqueries: the rules of cli/summary/classify.ts in the server's words. */
import { SPAN_CALL } from '../../../src/telemetry/semconv.ts';
import { MENDABLE_MISSES } from '../../summary/classify.ts';
import { spansOf } from './span-columns.ts';

export interface CallColumns {
  readonly hasView: boolean;
  /** Some calls have a GenAI span around them that says when they began and which model was asked. */
  readonly hasInferences: boolean;
}

const OWN = [
  'Key',
  'Instance',
  'Lineage',
  'Thread',
  'Phase',
  'Delegation',
  'Finding',
  'Certainty',
  'Miss',
  'Expected',
  'Input',
  'Read',
  'Written',
  'Uncached',
  'Rebilled',
  'IsEstimated',
  'Usd',
  'RebilledUsd',
  'PriceDate',
  'LifetimeSeconds',
  'SpanName',
  'ParentKey',
];

/** `condition` may name every column of a span. */
export function callsSql({ hasView, hasInferences }: CallColumns, condition?: string): string {
  if (!hasInferences)
    return spansOf('call', hasView, {
      select: `${OWN.join(', ')}, Timestamp AS At, Duration AS Took, coalesce(Model, PriceModel) AS CallModel`,
      condition,
    });
  return `(SELECT ${OWN.map((name) => `c.${name} AS ${name}`).join(', ')},
  if(i.Key = 0, c.Timestamp, i.Timestamp) AS At,
  if(i.Key = 0, c.Duration, i.Duration) AS Took,
  if(i.Key = 0, coalesce(c.Model, c.PriceModel), coalesce(i.Model, c.PriceModel)) AS CallModel
FROM ${spansOf('call', hasView, { condition })} AS c
LEFT ANY JOIN ${spansOf('inference', hasView)} AS i
  ON i.Key = if(c.SpanName = '${SPAN_CALL}', c.ParentKey, 0))`;
}

const MENDABLE = [...MENDABLE_MISSES].map((miss) => `'${miss}'`).join(', ');

const isFaultSql = (hasDivergence: string) =>
  `(Finding AND Expected IS NULL AND (ifNull(Miss, '') IN (${MENDABLE}) OR ${hasDivergence}))`;

/**
 * Calls, and of which a change to the requests mends what they lost. Of few calls, to look for their divergences costs less
 * than to hold all that there are.
 */
export function judgedSql(columns: CallColumns, condition?: string, isOfFew = false): string {
  const { hasView } = columns;
  const few = spansOf('call', hasView, { select: 'Key', condition: `IsNotable AND ${condition}` });
  const diverged = spansOf('divergence', hasView, {
    select: 'ParentKey',
    condition: isOfFew ? `ParentKey IN ${few}` : undefined,
  });
  return `(SELECT *, ${isFaultSql(`Key IN ${diverged}`)} AS IsFault FROM ${callsSql(columns, condition)})`;
}

/** Calls that may be in a group, each with its divergence and the call that it was compared with. */
export function notableSql(columns: CallColumns): string {
  return `(SELECT c.*,
  d.ParentKey != 0 AS HasDivergence,
  if(HasDivergence, d.DivergencePath, NULL) AS Path,
  d.DivergenceComponent AS Component,
  d.DivergenceKind AS DivergenceKind,
  d.DivergenceLabel AS Label,
  if(HasDivergence, d.BaselineKey, m.BaselineKey) AS BaselineKey,
  ${isFaultSql('HasDivergence')} AS IsFault,
  multiIf(
    Expected IS NOT NULL, 'declared',
    IsFault, 'fault',
    HasDivergence, 'quiet',
    Miss IS NULL, if(Finding, 'circumstance', 'quiet'),
    Miss NOT IN (${MENDABLE}), 'circumstance',
    'quiet') AS Category,
  coalesce(Expected, if(HasDivergence, d.DivergenceKind, NULL), Miss, 'unexplained') AS Cause
FROM ${callsSql(columns, 'IsNotable')} AS c
LEFT ANY JOIN ${spansOf('divergence', columns.hasView, {
    select: 'ParentKey, BaselineKey, DivergenceKind, DivergencePath, DivergenceComponent, DivergenceLabel',
  })} AS d ON d.ParentKey = c.Key
LEFT ANY JOIN ${spansOf('miss', columns.hasView, { select: 'ParentKey, BaselineKey' })} AS m ON m.ParentKey = c.Key)`;
}
