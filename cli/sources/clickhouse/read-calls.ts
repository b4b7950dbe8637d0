/** Calls themselves, with their divergences and the GenAI spans around them: those that a list or a screen shows. */
import type { StoredSpan } from '../../../src/store/otlp-json.ts';
import { SPAN_CALL, SPAN_DIVERGENCE } from '../../../src/telemetry/semconv.ts';
import { earliestFirst, type ReportedCall } from '../../summary/reported-call.ts';
import { callOfSpans } from '../span-call.ts';
import type { Answered } from './asker.ts';
import { callsSql } from './call-columns.ts';
import type { QueryParams, Row } from './run-query.ts';
import { SLACK, spansOf } from './span-columns.ts';
import { STORED_SPAN_SQL, storedSpanOf } from './stored-span.ts';
import { numberOf, textOf } from './totals-row.ts';

/** Keeps each call that it read, under a number of its own: later ones name it as their baseline. */
export class CallReader {
  readonly #numbers = new Map<string, number>();
  readonly #held = new Map<string, ReportedCall>();

  async byKeys(answered: Answered, keys: Iterable<string>): Promise<Map<string, ReportedCall>> {
    const wanted = [...new Set(keys)];
    await this.#read(answered, KEYS_SQL, { keys: wanted }, wanted.length);
    return new Map(
      wanted.flatMap((key) => {
        const call = this.#held.get(key);
        return call === undefined ? [] : [[key, call]];
      }),
    );
  }

  async ofLineage(
    answered: Answered,
    name: string,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<ReportedCall[]> {
    const { instance, lineage } = answered.lineageNames.partsOf(name);
    const keys = await this.#read(
      answered,
      'Instance = {instance:String} AND Lineage = {lineage:String}',
      { instance, lineage },
      limit,
      offset,
    );
    return this.#callsOf(keys);
  }

  /** Whole lineages at once. */
  async ofLineages(answered: Answered, names: readonly string[], limit: number): Promise<ReportedCall[]> {
    if (names.length === 0) return [];
    const parts = names.map((name) => answered.lineageNames.partsOf(name));
    const keys = await this.#read(answered, LINEAGES_SQL, lineageParams(parts), limit);
    return this.#callsOf(keys);
  }

  /** All that was read so far, in the order of their times. */
  held(): ReportedCall[] {
    return [...this.#held.values()].sort(earliestFirst);
  }

  /** Numbers as a local store gives them: the place among all calls of the range. */
  async numberByTime({ ask, columns }: Answered): Promise<void> {
    const keys = [...this.#held.keys()];
    const rows = await ask(
      `SELECT toString(Key) AS KeyText, Number FROM (
  SELECT Key, row_number() OVER (ORDER BY At, Key) AS Number FROM ${callsSql(columns)})
WHERE ${KEYS_SQL}`,
      { keys },
    );
    for (const row of rows) this.#numbers.set(textOf(row.KeyText), numberOf(row.Number) - 1);
    const renumbered = new Map<number, number>();
    for (const [key, call] of this.#held) renumbered.set(call.index, this.#numbers.get(key) ?? call.index);
    for (const [key, call] of this.#held) {
      const baseline = call.baseline === null ? null : (renumbered.get(call.baseline) ?? null);
      this.#held.set(key, { ...call, index: renumbered.get(call.index) ?? call.index, baseline });
    }
  }

  #callsOf(keys: readonly string[]): ReportedCall[] {
    return keys.flatMap((key) => this.#held.get(key) ?? []).sort(earliestFirst);
  }

  async #read(
    answered: Answered,
    condition: string,
    params: QueryParams,
    limit: number,
    offset = 0,
  ): Promise<string[]> {
    const read = await readSpans(answered, condition, params, limit, offset);
    const missing = new Set(read.map(({ baselineKey }) => baselineKey));
    for (const { key } of read) missing.delete(key);
    for (const key of this.#held.keys()) missing.delete(key);
    missing.delete('0');
    const baselines =
      missing.size === 0 ? [] : await readSpans(answered, KEYS_SQL, { keys: [...missing] }, missing.size, 0);
    const all = [...baselines, ...read];
    for (const { key } of all) this.#numberOf(key);
    for (const { key, baselineKey, ...spans } of all) {
      this.#held.set(
        key,
        callOfSpans(spans, {
          index: this.#numberOf(key),
          baseline: this.#numbers.get(baselineKey) ?? null,
          lineage: answered.lineageNames.nameOf(spans.instance, spans.lineage),
        }),
      );
    }
    return read.map(({ key }) => key);
  }

  #numberOf(key: string): number {
    const number = this.#numbers.get(key) ?? this.#numbers.size;
    this.#numbers.set(key, number);
    return number;
  }
}

/** Keys come as text: as numbers they are too large for JSON. */
const KEYS_SQL = 'Key IN (SELECT arrayJoin(arrayMap(key -> toUInt64(key), {keys:Array(String)})))';

export const LINEAGES_SQL =
  '(Instance, Lineage) IN (SELECT pair.1, pair.2 FROM (SELECT arrayJoin(arrayZip({instances:Array(String)}, {lineages:Array(String)})) AS pair))';

export function lineageParams(
  parts: readonly { readonly instance: string; readonly lineage: string }[],
): QueryParams {
  return {
    instances: parts.map(({ instance }) => instance),
    lineages: parts.map(({ lineage }) => lineage),
  };
}

interface ReadSpans {
  readonly key: string;
  readonly baselineKey: string;
  readonly instance: string;
  readonly lineage: string;
  readonly call: StoredSpan;
  readonly divergence: StoredSpan | undefined;
  readonly miss: StoredSpan | undefined;
  readonly inference: StoredSpan | undefined;
}

async function readSpans(
  { ask, hasView, columns }: Answered,
  condition: string,
  params: QueryParams,
  limit: number,
  offset: number,
): Promise<ReadSpans[]> {
  const calls = await ask(
    `SELECT ${STORED_SPAN_SQL} FROM ${spansOf('call', hasView, { condition })}
ORDER BY Timestamp, Key LIMIT {limit:UInt64} OFFSET {offset:UInt64}`,
    { ...params, limit, offset },
  );
  if (calls.length === 0) return [];
  const times = calls.map((row) => numberOf(row.StartMicroseconds) / 1_000);
  const around = {
    fromMs: Math.floor(least(times)),
    toMs: Math.ceil(-least(times.map((time) => -time))),
    instances: [...new Set(calls.map((row) => textOf(row.Instance)))],
  };
  const near = `Timestamp >= fromUnixTimestamp64Milli({fromMs:Int64}) - ${SLACK} AND Timestamp <= fromUnixTimestamp64Milli({toMs:Int64}) + ${SLACK} AND Instance IN {instances:Array(String)}`;
  const childrenSql = (kind: 'divergence' | 'miss') =>
    spansOf(kind, hasView, { select: STORED_SPAN_SQL, condition: `${near} AND Parent${KEYS_SQL}` });
  const children = await ask(
    `SELECT * FROM ${childrenSql('divergence')} UNION ALL SELECT * FROM ${childrenSql('miss')}`,
    { ...around, keys: calls.map((row) => textOf(row.KeyText)) },
  );
  const inferences = columns.hasInferences
    ? await ask(
        `SELECT * FROM ${spansOf('inference', hasView, { select: STORED_SPAN_SQL, condition: `${near} AND ${KEYS_SQL}` })}`,
        { ...around, keys: calls.map((row) => textOf(row.ParentKeyText)) },
      )
    : [];
  const divergences = byName(children, 'ParentKeyText', (name) => name === SPAN_DIVERGENCE);
  const misses = byName(children, 'ParentKeyText', (name) => name !== SPAN_DIVERGENCE);
  const inferencesByKey = byName(inferences, 'KeyText', () => true);
  return calls.map((row) => {
    const key = textOf(row.KeyText);
    const divergence = divergences.get(key);
    const miss = misses.get(key);
    const inference = row.SpanName === SPAN_CALL ? inferencesByKey.get(textOf(row.ParentKeyText)) : undefined;
    const spanOf = (child: Row | undefined) => (child === undefined ? undefined : storedSpanOf(child));
    return {
      key,
      baselineKey: textOf((divergence ?? miss)?.BaselineKeyText) || '0',
      instance: textOf(row.Instance),
      lineage: textOf(row.Lineage),
      call: storedSpanOf(row),
      divergence: spanOf(divergence),
      miss: spanOf(miss),
      inference: spanOf(inference),
    };
  });
}

function byName(
  rows: readonly Row[],
  key: 'KeyText' | 'ParentKeyText',
  isWanted: (name: unknown) => boolean,
): Map<string, Row> {
  return new Map(rows.filter((row) => isWanted(row.SpanName)).map((row) => [textOf(row[key]), row]));
}

/** Of many: as arguments of Math.min they would not fit. */
function least(numbers: readonly number[]): number {
  return numbers.reduce((smallest, number) => Math.min(smallest, number), Number.POSITIVE_INFINITY);
}
