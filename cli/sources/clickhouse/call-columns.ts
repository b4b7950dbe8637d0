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
  'IsFault',
];

const MENDABLE = [...MENDABLE_MISSES].map((miss) => `'${miss}'`).join(', ');

export function callsSql({ hasView, hasInferences }: CallColumns): string {
  const calls = `(SELECT *, Finding AND Expected IS NULL AND (ifNull(Miss, '') IN (${MENDABLE})
  OR Key IN (SELECT ParentKey FROM ${spansOf('divergence', hasView)})) AS IsFault
FROM ${spansOf('call', hasView)})`;
  if (!hasInferences)
    return `(SELECT ${OWN.join(', ')}, Timestamp AS At, Duration AS Took, coalesce(Model, PriceModel) AS CallModel FROM ${calls})`;
  return `(SELECT ${OWN.map((name) => `c.${name} AS ${name}`).join(', ')},
  if(i.Key = 0, c.Timestamp, i.Timestamp) AS At,
  if(i.Key = 0, c.Duration, i.Duration) AS Took,
  if(i.Key = 0, coalesce(c.Model, c.PriceModel), coalesce(i.Model, c.PriceModel)) AS CallModel
FROM ${calls} AS c
LEFT ANY JOIN ${spansOf('inference', hasView)} AS i
  ON i.Key = if(c.SpanName = '${SPAN_CALL}', c.ParentKey, 0))`;
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
  multiIf(
    Expected IS NOT NULL, 'declared',
    IsFault, 'fault',
    HasDivergence, 'quiet',
    Miss IS NULL, if(Finding, 'circumstance', 'quiet'),
    Miss NOT IN (${MENDABLE}), 'circumstance',
    'quiet') AS Category,
  coalesce(Expected, if(HasDivergence, d.DivergenceKind, NULL), Miss, 'unexplained') AS Cause
FROM (SELECT * FROM ${callsSql(columns)} WHERE Expected IS NOT NULL OR Finding OR Miss IS NOT NULL) AS c
LEFT ANY JOIN (SELECT ParentKey, BaselineKey, DivergenceKind, DivergencePath, DivergenceComponent, DivergenceLabel
  FROM ${spansOf('divergence', columns.hasView)}) AS d ON d.ParentKey = c.Key
LEFT ANY JOIN (SELECT ParentKey, BaselineKey FROM ${spansOf('miss', columns.hasView)}) AS m ON m.ParentKey = c.Key)`;
}
