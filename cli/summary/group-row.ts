/** One group of calls as the cells of a row: the same words in the text, the Markdown and the viewer. */
import { formatCount, formatDuration, formatMeasure, formatTokens, formatUsd } from '../terminal/format.ts';
import { adviceFor, placeOf } from './explain.ts';
import type { CauseGroup } from './groups.ts';
import { phraseFor } from './phrases.ts';

export interface GroupRow {
  readonly cause: string;
  readonly place: string;
  /** Without the phase, for where there is no room. */
  readonly shortPlace: string;
  readonly calls: string;
  readonly tokens: string;
  readonly usd: string;
  readonly advice: string | null;
}

export function groupRow(group: CauseGroup): GroupRow {
  return {
    cause: group.cause,
    place: [whereOf(group), group.phase].filter((part) => part !== null).join(' · '),
    shortPlace: whereOf(group) ?? group.phase ?? '',
    calls: formatCount(group.callCount),
    tokens: formatMeasure(group.rebilledTokens, formatTokens),
    usd: formatMeasure(group.rebilledUsd, formatUsd),
    advice: adviceFor(group.worst),
  };
}

function whereOf(group: CauseGroup): string | null {
  if (group.category === 'declared') return null;
  if (group.cause === 'ttl_expired' && group.longestIdleMs !== null)
    return `${formatDuration(group.longestIdleMs)} idle`;
  if (group.path === null) return null;
  return group.placeCount > 1 ? `${group.path} +${group.placeCount - 1}` : group.path;
}

export interface FixFirst {
  readonly phrase: string;
  /** `$1.12 of $1.57 avoidable` */
  readonly gain: string;
  readonly place: string;
  /** `14 calls of researcher` */
  readonly extent: string;
  readonly advice: string | null;
}

/** The costliest group that a change to the requests mends, and what share of all such loss it is. */
export function fixFirst(
  faults: readonly CauseGroup[],
  avoidable: { readonly usd: string; readonly tokens: string },
): FixFirst | null {
  const [group] = faults;
  if (group === undefined) return null;
  const calls = `${formatCount(group.callCount)} ${group.callCount === 1 ? 'call' : 'calls'}`;
  return {
    phrase: phraseFor(group.cause),
    gain: gainOf(group, avoidable),
    place: placeOf(group.worst) ?? group.cause,
    extent: group.phase === null ? calls : `${calls} of ${group.phase}`,
    advice: adviceFor(group.worst),
  };
}

function gainOf(group: CauseGroup, avoidable: { readonly usd: string; readonly tokens: string }): string {
  if (group.rebilledUsd.value !== null)
    return `${formatMeasure(group.rebilledUsd, formatUsd)} of ${avoidable.usd} avoidable`;
  if (group.rebilledTokens.value !== null)
    return `${formatMeasure(group.rebilledTokens, formatTokens)} of ${avoidable.tokens} tokens avoidable`;
  return 'cost unknown, no usage reported';
}
