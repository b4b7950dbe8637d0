/**
 * The same calls, diagnosed by one process and dealt in turn to several that share their heads. What may differ by
 * construction is made alike: numbers of calls and names of lineages are the process's own.
 */
import { createEngine } from '../../../src/diagnose.ts';
import type { Diagnosis } from '../../../src/diagnosis.ts';
import type { Exchange } from '../../../src/exchange.ts';
import type { HeadStore } from '../../../src/lineage/shared/head-store.ts';

/** `storeOf`: the heads as one of the processes has them. */
export async function dealt(
  exchanges: readonly Exchange[],
  stores: readonly HeadStore[],
): Promise<Diagnosis[]> {
  const engines = await Promise.all(stores.map((heads) => createEngine({ heads })));
  const diagnoses: Diagnosis[] = [];
  for (const [index, exchange] of exchanges.entries()) {
    const engine = engines[index % engines.length];
    const started = engine?.start(exchange);
    await started?.prepare?.(exchange.response);
    const call = started?.finish(exchange.response);
    await engine?.settled?.();
    if (call && 'diagnosis' in call) diagnoses.push(call.diagnosis);
  }
  return diagnoses;
}

export async function undealt(exchanges: readonly Exchange[]): Promise<Diagnosis[]> {
  const engine = await createEngine();
  const diagnoses: Diagnosis[] = [];
  for (const exchange of exchanges) {
    const call = engine.start(exchange).finish(exchange.response);
    if ('diagnosis' in call) diagnoses.push(call.diagnosis);
  }
  return diagnoses;
}

/** One store as several processes see it. */
export function seenBy(store: HeadStore, processes: number): HeadStore[] {
  return Array.from({ length: processes }, (_, number) => ({
    ...store,
    origin: `process${number}`,
    firstIndex: number * 2 ** 32,
  }));
}

/** Calls and lineages by the order in which they appear. */
export function inOrder(diagnoses: readonly Diagnosis[]): Diagnosis[] {
  const calls = new Map(diagnoses.map(({ index }, at) => [index, at]));
  const lineages = new Map<string, string>();
  return diagnoses.map((diagnosis, at) => {
    const { lineage, baseline } = diagnosis;
    if (!lineages.has(lineage)) lineages.set(lineage, `l${lineages.size + 1}`);
    return {
      ...diagnosis,
      index: at,
      lineage: lineages.get(lineage) as string,
      baseline: baseline === null ? null : (calls.get(baseline) ?? -1),
    };
  });
}
