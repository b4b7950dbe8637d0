/** Recorded traffic that lies beside the repository, and its diagnoses. It is never copied into the project. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from '../../src/diagnose.ts';
import type { Diagnosis } from '../../src/diagnosis.ts';
import type { SkippedLine } from '../../src/logs/log-error.ts';
import { readLogPath } from '../../src/logs/open-log.ts';

const repositoryRoot = join(import.meta.dirname, '..', '..');
export const trafficFolder =
  process.env.PREFIXTRACE_TRAFFIC ?? join(repositoryRoot, '..', 'shared', 'traffic');
export const hasTraffic = existsSync(trafficFolder);

export interface DiagnosedLog {
  readonly calls: readonly Diagnosis[];
  readonly findings: readonly Diagnosis[];
  readonly unreadable: readonly string[];
  readonly skipped: readonly SkippedLine[];
}

export async function diagnoseTraffic(path: string): Promise<DiagnosedLog> {
  const engine = await createEngine();
  const calls: Diagnosis[] = [];
  const unreadable: string[] = [];
  const skipped: SkippedLine[] = [];
  for await (const { exchange, source } of readLogPath(join(trafficFolder, path), {
    onSkippedLine: (line) => skipped.push(line),
  })) {
    const call = engine.start(exchange).finish(exchange.response);
    if ('unreadable' in call) unreadable.push(`${source}: ${call.unreadable}`);
    else calls.push({ ...call.diagnosis, source });
  }
  return { calls, findings: calls.filter(({ finding }) => finding), unreadable, skipped };
}

/** The line that a call's source names. */
export function lineOf({ source }: Diagnosis): number {
  return Number(source?.split(':').at(-1));
}

/** Which calls were put together, as lists of positions. */
export function groups(calls: readonly Diagnosis[]): number[][] {
  const byLineage = new Map<string, number[]>();
  for (const { lineage, index } of calls) byLineage.set(lineage, [...(byLineage.get(lineage) ?? []), index]);
  return [...byLineage.values()];
}
