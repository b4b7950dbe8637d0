/** How often the cache had to start anew, by cause: a call that billed again what could have been read back. */
import type { Category } from './classify.ts';
import type { Resets } from './groups.ts';
import { byMeasure, type Measure, sumOfMeasures } from './measure.ts';
import type { Summary } from './summary.ts';

export interface ResetCause {
  readonly cause: string;
  readonly category: Category;
  readonly calls: number;
  readonly rebilledTokens: Measure;
  readonly rebilledUsd: Measure;
}

/** Costliest first. */
export function resetsByCause({ faults, circumstances, declared }: Summary): ResetCause[] {
  const causes = new Map<string, { cause: string; category: Category; parts: Resets[] }>();
  for (const { category, cause, resets } of [...faults, ...circumstances, ...declared]) {
    if (resets.calls === 0) continue;
    const known = causes.get(`${category} ${cause}`);
    if (known) known.parts.push(resets);
    else causes.set(`${category} ${cause}`, { cause, category, parts: [resets] });
  }
  return [...causes.values()]
    .map(({ cause, category, parts }) => ({
      cause,
      category,
      calls: parts.reduce((sum, { calls }) => sum + calls, 0),
      rebilledTokens: sumOfMeasures(parts.map(({ rebilledTokens }) => rebilledTokens)),
      rebilledUsd: sumOfMeasures(parts.map(({ rebilledUsd }) => rebilledUsd)),
    }))
    .sort((left, right) => byMeasure(left.rebilledUsd, right.rebilledUsd) || right.calls - left.calls);
}
