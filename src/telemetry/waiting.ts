/**
 * What a miss or a divergence cost in waiting: its time to the first byte against the median of the hits that the same
 * lineage had before.
 *
 * Like is compared with like: a response that is no stream has its first byte when the whole answer is made, so streams and
 * others are kept apart. Few hits say nothing: under three of them there is no figure. A figure below zero stays as it is;
 * it says that the noise is larger than the effect.
 */
import type { DiagnosedCall } from '../diagnosis.ts';
import type { Pair } from './attribute-values.ts';
import { RecentMap } from './recent-map.ts';
import * as semconv from './semconv.ts';

export interface Waiting {
  readonly firstByteMs: number;
  readonly hitMedianMs: number;
  readonly extraMs: number;
  /** How many hits the median rests on. */
  readonly hits: number;
  readonly isStreamed: boolean;
}

const MIN_HITS = 3;
/** The last ones, as the load of a provider changes within minutes. */
const MAX_HITS = 15;
/** Lineages whose hits are remembered. With 15 times each this stays below 1 MB. */
const MAX_LINEAGES = 2048;

/** Notes a call and says what it cost in waiting, in the order in which calls end. */
type WaitingTimes = (call: DiagnosedCall, isStreamed: boolean) => Waiting | undefined;

/** The times of the last hits of each lineage; owner: the sink. */
export function createWaitingTimes(maxLineages = MAX_LINEAGES): WaitingTimes {
  const hitTimes = new RecentMap<string, number[]>(maxLineages);
  return ({ diagnosis, evidence }, isStreamed) => {
    const firstByteMs = evidence.timeToFirstByteMs;
    if (firstByteMs === null) return undefined;
    const key = `${diagnosis.lineage} ${isStreamed}`;
    const before = hitTimes.get(key) ?? [];
    const isFaultless = diagnosis.divergence === null && diagnosis.miss === null;
    if (!isFaultless) return compared(firstByteMs, before, isStreamed);
    if (diagnosis.outcome === 'hit') hitTimes.set(key, [...before, firstByteMs].slice(-MAX_HITS));
    return undefined;
  };
}

function compared(
  firstByteMs: number,
  hitTimesMs: readonly number[],
  isStreamed: boolean,
): Waiting | undefined {
  if (hitTimesMs.length < MIN_HITS) return undefined;
  const hitMedianMs = median(hitTimesMs);
  return {
    firstByteMs,
    hitMedianMs,
    extraMs: firstByteMs - hitMedianMs,
    hits: hitTimesMs.length,
    isStreamed,
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function waitingPairs(waiting: Waiting | undefined): Pair[] {
  return [
    [semconv.ATTR_WAITING_FIRST_BYTE_MS, waiting?.firstByteMs],
    [semconv.ATTR_WAITING_HIT_MEDIAN_MS, waiting?.hitMedianMs],
    [semconv.ATTR_WAITING_EXTRA_MS, waiting?.extraMs],
    [semconv.ATTR_WAITING_HITS, waiting?.hits],
    [semconv.ATTR_WAITING_STREAMED, waiting?.isStreamed],
  ];
}
