/** All that a report says, as data: the text, Markdown and JSON forms and the viewer's first screen print this. */
import { scopeInWords } from './explain.ts';
import { type CauseGroup, groupByCause } from './groups.ts';
import type { ReportedCall } from './reported-call.ts';
import { type Totals, TotalsSum, totalsOf } from './totals.ts';

export interface Breakdown {
  readonly name: string | null;
  readonly totals: Totals;
}

export interface LineageSummary extends Breakdown {
  readonly name: string;
  /** Who speaks in it. */
  readonly words: string;
  /** In the order in which they were asked. */
  readonly models: readonly string[];
  readonly lastAt: string | null;
  /** How long what its last call wrote or read can be read again. */
  readonly lifetimeMs: number | null;
  /** Oldest first; of calls that a server holds, those that have been asked for. */
  readonly calls: readonly ReportedCall[];
}

export interface Summary {
  readonly totals: Totals;
  /** Costliest first: what a change to the requests mends. */
  readonly faults: readonly CauseGroup[];
  /** What the prompt is not to blame for. */
  readonly circumstances: readonly CauseGroup[];
  readonly declared: readonly CauseGroup[];
  readonly phases: readonly Breakdown[];
  /** In the order in which they began; of those that a server holds, the ones with most to tell. */
  readonly lineages: readonly LineageSummary[];
  readonly unpriced: UnpricedCalls;
}

/** Calls with usage and no known price. */
interface UnpricedCalls {
  readonly count: number;
  readonly models: readonly string[];
}

/** Each call is added up once, under its lineage and phase; the other sums are sums of those. */
export function summarize(calls: readonly ReportedCall[]): Summary {
  const groups = groupByCause(calls);
  const all = new TotalsSum();
  const phases = new Map<string | null, TotalsSum>();
  const lineages: LineageSummary[] = [];
  for (const lineage of lineagesOf(calls)) {
    const sum = new TotalsSum();
    for (const [phase, part] of lineage.phases) {
      sum.merge(part);
      held(phases, phase, () => new TotalsSum()).merge(part);
    }
    all.merge(sum);
    lineages.push(describeLineage(lineage, sum.totals()));
  }
  return {
    totals: all.totals(),
    faults: groups.filter((group) => group.category === 'fault'),
    circumstances: groups.filter((group) => group.category === 'circumstance'),
    declared: groups.filter((group) => group.category === 'declared'),
    phases: [...phases].map(([name, sum]) => ({ name, totals: sum.totals() })).sort(mostAvoidableFirst),
    lineages,
    unpriced: unpricedCalls(calls),
  };
}

function describeLineage({ name, calls }: LineageSum, totals: Totals): LineageSummary {
  const [first] = calls;
  const last = calls.at(-1);
  return {
    name,
    words: first ? scopeInWords(first) : name,
    models: modelsOf(calls),
    lastAt: last?.at ?? null,
    lifetimeMs: last?.lifetimeMs ?? null,
    calls,
    totals,
  };
}

function unpricedCalls(calls: readonly ReportedCall[]): UnpricedCalls {
  const unpriced = calls.filter(hasNoPrice);
  return { count: unpriced.length, models: modelsOf(unpriced) };
}

/** A call without usage has no cost for another reason, and a rejected one has none at all. */
function hasNoPrice({ tokens, cost, miss }: ReportedCall): boolean {
  return tokens.cacheRead !== null && (cost?.usd ?? null) === null && miss !== 'request_rejected';
}

function modelsOf(calls: readonly ReportedCall[]): string[] {
  return [...new Set(calls.map(({ model }) => model ?? 'unknown model'))];
}

interface LineageSum {
  readonly name: string;
  readonly calls: ReportedCall[];
  readonly phases: Map<string | null, TotalsSum>;
}

function lineagesOf(calls: readonly ReportedCall[]): Iterable<LineageSum> {
  const lineages = new Map<string, LineageSum>();
  for (const call of calls) {
    const name = call.lineage;
    const lineage = held(lineages, name, () => ({ name, calls: [], phases: new Map() }));
    lineage.calls.push(call);
    held(lineage.phases, call.scope.phase, () => new TotalsSum()).add(call);
  }
  return lineages.values();
}

function held<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  map.set(key, value);
  return value;
}

/** Known of every call; not where a log held no prompt to compare. */
export function hasNoCostlyChange({ faults, circumstances }: Summary): boolean {
  return faults.length === 0 && circumstances.every(({ cause }) => cause !== 'unexplained');
}

export function breakDown(
  calls: readonly ReportedCall[],
  nameOf: (call: ReportedCall) => string | null,
): { readonly name: string | null; readonly calls: readonly ReportedCall[]; readonly totals: Totals }[] {
  const parts = new Map<string | null, ReportedCall[]>();
  for (const call of calls) {
    const name = nameOf(call);
    const part = parts.get(name);
    if (part) part.push(call);
    else parts.set(name, [call]);
  }
  return [...parts].map(([name, part]) => ({ name, calls: part, totals: totalsOf(part) }));
}

export function mostAvoidableFirst(left: Breakdown, right: Breakdown): number {
  return (
    (right.totals.avoidableUsd.value ?? 0) - (left.totals.avoidableUsd.value ?? 0) ||
    (right.totals.inputTokens.value ?? 0) - (left.totals.inputTokens.value ?? 0)
  );
}
