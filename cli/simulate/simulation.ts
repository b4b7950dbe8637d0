/** All that `simulate` says, as data: the recording as reported and as expected, and each layout against that. */
import type { CacheRules } from '../../src/cache/rules.ts';
import type { Prices } from '../../src/cost/prices.ts';
import type { Hasher } from '../../src/fingerprint/hash.ts';
import type { Change, ChangeName } from './changes/change.ts';
import { type Fit, fitOf } from './fit.ts';
import { CHANGE_NAMES, changeMaker } from './layouts.ts';
import { type Played, play } from './play.ts';
import type { RecordedCall } from './recorded-call.ts';
import { expectedUsd, type Summed, type Sums, sumsOf } from './sums.ts';

interface LineageSums {
  readonly lineage: string;
  readonly sums: Sums;
}

export interface Expectation {
  readonly all: Sums;
  readonly lineages: readonly LineageSums[];
}

export interface LayoutResult {
  readonly changes: readonly ChangeName[];
  readonly title: string;
  readonly changedCalls: number;
  /** `null`: nothing was changed, and `reason` says why. */
  readonly expected: Expectation | null;
  readonly reason: string | null;
  /** Less money than the recording is expected to cost, or where that is unknown more tokens read. */
  readonly helps: boolean;
}

export interface Simulation {
  readonly fit: Fit;
  readonly reported: Expectation;
  readonly asRecorded: Expectation;
  /** Best first; those that change nothing come last. */
  readonly layouts: readonly LayoutResult[];
  readonly rules: readonly CacheRules[];
  readonly priceDates: readonly string[];
  readonly methods: { readonly usage: number; readonly calibrated: number; readonly estimated: number };
}

export interface Simulated {
  readonly calls: readonly RecordedCall[];
  /** One layout of these changes; empty: each alone, and those that help together. */
  readonly changes: readonly ChangeName[];
  readonly hasher: Hasher;
  readonly prices: Prices;
}

export function simulateLayouts({ calls, changes, hasher, prices }: Simulated): Simulation {
  const makeChange = changeMaker(calls);
  const recorded = play(calls, [], hasher);
  const asRecorded = expectationOf(recorded, prices);
  const tryOut = (names: readonly ChangeName[]): LayoutResult => {
    const made = CHANGE_NAMES.filter((name) => names.includes(name)).map(makeChange);
    return resultOf(made, play(calls, made, hasher), asRecorded, prices);
  };
  const layouts = changes.length > 0 ? [tryOut(changes)] : tryAll(tryOut);
  return {
    fit: fitOf(recorded.calls),
    reported: {
      all: sumsOf(recorded.calls.map(asReported), false),
      lineages: byLineage(recorded.calls.map(asReported), false),
    },
    asRecorded,
    layouts: [...layouts].sort(bestFirst),
    rules: distinct(recorded.calls.map(({ rules }) => rules)),
    priceDates: priceDates(calls, prices),
    methods: methodsOf(calls),
  };
}

function tryAll(tryOut: (names: readonly ChangeName[]) => LayoutResult): LayoutResult[] {
  const alone = CHANGE_NAMES.map((name) => tryOut([name]));
  const helping = alone.filter(({ helps }) => helps).sort(bestFirst);
  // The two orders of tools exclude each other: the better one is taken.
  const names = helping.flatMap((result) => result.changes);
  const order = names.find((name) => name.startsWith('tools-'));
  const together = names.filter((name) => !name.startsWith('tools-') || name === order);
  return together.length > 1 ? [...alone, { ...tryOut(together), title: 'all that help, together' }] : alone;
}

function resultOf(
  changes: readonly Change[],
  played: Played,
  asRecorded: Expectation,
  prices: Prices,
): LayoutResult {
  const changedCalls = played.calls.filter(({ isChanged }) => isChanged).length;
  const facts = {
    changes: changes.map(({ name }) => name),
    title: changes.map(({ title }) => title).join(', '),
  };
  if (changedCalls === 0) {
    const reason = changes.map((change) => reasonFor(change, played)).join('; ');
    return { ...facts, changedCalls, expected: null, reason, helps: false };
  }
  const expected = expectationOf(played, prices);
  const reasons = changes.flatMap(({ name }) => played.obstacles.get(name) ?? []);
  return {
    ...facts,
    changedCalls,
    expected,
    reason: reasons.length === 0 ? null : reasons.join('; '),
    helps: gainOf(expected.all, asRecorded.all) > 0,
  };
}

function reasonFor(change: Change, { obstacles, calls }: Played): string {
  const { rules } = calls[0] ?? {};
  const obstacle = obstacles.get(change.name);
  return obstacle === undefined || rules === undefined
    ? `changes nothing: ${change.nothingToDo}`
    : `does not apply: ${obstacle}`;
}

/** Money saved; where a price is missing, tokens that are read and were not. */
function gainOf(after: Sums, before: Sums): number {
  const isPriced = after.usd.unknownCalls === 0 && before.usd.unknownCalls === 0;
  const [now, then] = isPriced
    ? [-(after.usd.value ?? 0), -(before.usd.value ?? 0)]
    : [after.read.value ?? 0, before.read.value ?? 0];
  return isNoDifference(then, now) ? 0 : now - then;
}

/** Less than a thousandth is the rounding of shares. */
export function isNoDifference(before: number, after: number): boolean {
  return Math.abs(after - before) <= Math.abs(before) * 0.001;
}

function bestFirst(left: LayoutResult, right: LayoutResult): number {
  if (!left.expected || !right.expected)
    return Number(right.expected !== null) - Number(left.expected !== null);
  return gainOf(right.expected.all, left.expected.all);
}

function expectationOf({ calls }: Played, prices: Prices): Expectation {
  const summed = calls.map(({ call, rules, expected }) => ({
    call,
    rules,
    usage: expected,
    usd: expectedUsd(call, expected, rules, prices),
  }));
  return { all: sumsOf(summed, true), lineages: byLineage(summed, true) };
}

function asReported({ call, rules }: Played['calls'][number]): Summed {
  return { call, rules, usage: call.usage, usd: call.usd };
}

function byLineage(calls: readonly Summed[], isEstimate: boolean): LineageSums[] {
  const parts = new Map<string, Summed[]>();
  for (const summed of calls) {
    const { lineage } = summed.call;
    const part = parts.get(lineage);
    if (part) part.push(summed);
    else parts.set(lineage, [summed]);
  }
  return [...parts].map(([lineage, part]) => ({ lineage, sums: sumsOf(part, isEstimate) }));
}

function distinct(rules: readonly CacheRules[]): CacheRules[] {
  return [...new Map(rules.map((one) => [JSON.stringify(one), one])).values()];
}

function priceDates(calls: readonly RecordedCall[], prices: Prices): string[] {
  const dates = calls.flatMap(({ model, inputTokens, request }) =>
    model === null ? [] : (prices.find(model, inputTokens, request.atMs ?? null)?.date ?? []),
  );
  return [...new Set(dates)].sort();
}

function methodsOf(calls: readonly RecordedCall[]): Simulation['methods'] {
  const count = (method: RecordedCall['method']) => calls.filter((call) => call.method === method).length;
  return { usage: count('usage'), calibrated: count('calibrated'), estimated: count('estimated') };
}
