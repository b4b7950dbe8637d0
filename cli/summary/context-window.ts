/**
 * How full the model's context window was at each call of a lineage, and each time its history was cut: how full it was
 * then, what that billed again, and whether it came early. Pure: the sizes of windows are handed in.
 */
import { byMeasure, type Measure, sumOf } from './measure.ts';
import { type CallsByIndex, type ReportedCall, startedAtMs } from './reported-call.ts';
import type { LineageSummary } from './summary.ts';

export interface ModelWindow {
  readonly tokens: number;
  /** Above this the whole prompt costs more, where the model has such a step: room that one may not want to use. */
  readonly dearerAboveTokens: number | null;
}

/** `null`: the size is not known. */
export type FindWindow = (model: string, atMs: number | null) => ModelWindow | null;

/**
 * `compaction`: the history gave way to a summary. `context_edit`: parts of it were dropped or emptied. `drop`: the
 * prompt lost most of its length and nothing says why.
 */
export type CutKind = 'compaction' | 'context_edit' | 'drop';

export interface Cut {
  readonly kind: CutKind;
  readonly cause: string | null;
  /** Another divergence in front of it, whose the loss is: without the cut those tokens would have been billed again too. */
  readonly lossOf: string | null;
  /** The first call with the shorter history. */
  readonly call: ReportedCall;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Of the window, just before. */
  readonly fullness: number | null;
  /** `null` where the window is not known, or nothing says that the cut was made for room. */
  readonly isEarly: boolean | null;
  readonly isEstimated: boolean;
}

export interface WindowUse {
  readonly lineage: LineageSummary;
  /** Several where the lineage went from one model to another. */
  readonly windows: readonly ModelWindow[];
  /** One for each call: input tokens among the tokens of the window. */
  readonly fullness: readonly (number | null)[];
  readonly fullest: { readonly call: ReportedCall; readonly fullness: number | null };
  readonly cuts: readonly Cut[];
  /** Models that took more than the window that is listed for them, so another one was in force; which is not known. */
  readonly outgrown: readonly string[];
}

/**
 * A cut is early where less than this share of the room was in use: the run could have gone on for as long again, and
 * each cut throws away the reads behind it. Room ends at the window, or where the model's price rises if that comes first.
 */
export const EARLY_BELOW = 0.5;

export function windowUses(
  lineages: readonly LineageSummary[],
  callsByIndex: CallsByIndex,
  findWindow: FindWindow,
): WindowUse[] {
  return lineages
    .map((lineage) => windowUse(lineage, callsByIndex, findWindow))
    .filter((use) => use !== null)
    .sort(mostTellingFirst);
}

function windowUse(
  lineage: LineageSummary,
  callsByIndex: CallsByIndex,
  findWindow: FindWindow,
): WindowUse | null {
  const [first] = lineage.calls;
  if (first === undefined) return null;
  const listed = new Map<string, ModelWindow | null>();
  const outgrown = new Set<string>();
  for (const call of lineage.calls) {
    if (call.model === null) continue;
    if (!listed.has(call.model)) listed.set(call.model, findWindow(call.model, startedAtMs(call)));
    const window = listed.get(call.model);
    // A rejected prompt may well have been longer than the window.
    if (window && call.tokens.input > window.tokens && call.miss !== 'request_rejected')
      outgrown.add(call.model);
  }
  for (const model of outgrown) listed.set(model, null);

  const windowOf = ({ model }: ReportedCall) => (model === null ? null : (listed.get(model) ?? null));
  const fullnessOf = (call: ReportedCall) => shareOf(call.tokens.input, windowOf(call));
  const fullest = lineage.calls.reduce(
    (most, call) => (isFuller(call, most, fullnessOf) ? call : most),
    first,
  );
  return {
    lineage,
    windows: [
      ...new Map([...listed.values()].filter(isKnown).map((window) => [window.tokens, window])).values(),
    ],
    fullness: lineage.calls.map(fullnessOf),
    fullest: { call: fullest, fullness: fullnessOf(fullest) },
    cuts: lineage.calls
      .map((call) => {
        const before = call.baseline === null ? undefined : callsByIndex.get(call.baseline);
        // Against a sibling that is another conversation nothing was cut.
        return before?.lineage === call.lineage ? cutOf(call, before, windowOf(before)) : null;
      })
      .filter((cut) => cut !== null),
    outgrown: [...outgrown],
  };
}

function isKnown(window: ModelWindow | null): window is ModelWindow {
  return window !== null;
}

function shareOf(tokens: number, window: ModelWindow | null): number | null {
  return window === null ? null : tokens / window.tokens;
}

function isFuller(
  call: ReportedCall,
  than: ReportedCall,
  fullnessOf: (call: ReportedCall) => number | null,
): boolean {
  const [left, right] = [fullnessOf(call), fullnessOf(than)];
  // Where no window is known, tokens still tell which prompt was the longest.
  if (left === null && right === null) return call.tokens.input > than.tokens.input;
  return (left ?? -1) > (right ?? -1);
}

const COMPACTIONS: ReadonlySet<string> = new Set([
  'compaction',
  'server_side_compaction',
  'messages.compacted',
]);

const CONTEXT_EDITS: ReadonlySet<string> = new Set([
  'messages.window_slid',
  'messages.history_elided',
  'messages.tool_result_cleared',
  'messages.deduplicated',
]);

type NamedCut = Pick<Cut, 'kind' | 'cause' | 'lossOf'>;

const DROP: NamedCut = { kind: 'drop', cause: null, lossOf: null };

/** Below this share of the prompt before it, a prompt has been cut, whatever was cut from it. */
const DROPPED_BELOW = 0.5;

function cutOf(call: ReportedCall, before: ReportedCall, window: ModelWindow | null): Cut | null {
  const named = nameOfCut(call) ?? (isDropped(call, before) ? DROP : null);
  if (named === null) return null;
  const tokensBefore = before.tokens.input;
  const room = window && Math.min(window.tokens, window.dearerAboveTokens ?? Number.POSITIVE_INFINITY);
  return {
    ...named,
    call,
    tokensBefore,
    tokensAfter: call.tokens.input,
    fullness: shareOf(tokensBefore, window),
    isEarly: named.kind === 'drop' || room === null ? null : tokensBefore < EARLY_BELOW * room,
    isEstimated: before.tokens.method !== 'usage',
  };
}

/** A cut may stand behind another divergence: it was made all the same. */
function nameOfCut({ expected, divergence }: ReportedCall): NamedCut | null {
  const behind = (divergence?.also ?? []).map(({ kind }) => kind);
  const inFront = [expected, divergence?.kind].filter((name) => name != null);
  for (const [kind, known] of NAMED_CUTS) {
    const isKnown = (name: string) => known.has(name);
    const cause = inFront.find(isKnown) ?? behind.find(isKnown);
    if (cause === undefined) continue;
    return { kind, cause, lossOf: inFront.some(isKnown) ? null : (divergence?.kind ?? null) };
  }
  return null;
}

const NAMED_CUTS = [
  ['compaction', COMPACTIONS],
  ['context_edit', CONTEXT_EDITS],
] as const;

/** Only of like with like: other models count otherwise, and dropped tools or thinking are no cut of the history. */
function isDropped(call: ReportedCall, before: ReportedCall): boolean {
  if (call.model !== before.model) return false;
  if (call.tokens.method !== before.tokens.method || call.miss === 'server_strips_thinking') return false;
  if (call.divergence !== null && call.divergence.component !== 'messages') return false;
  return call.tokens.input < DROPPED_BELOW * before.tokens.input;
}

export interface CutTotals {
  readonly cuts: number;
  readonly early: number;
  /** Nobody can say of these whether they were early. */
  readonly unjudged: number;
  /** What the early ones billed again. */
  readonly rebilledTokens: Measure;
  readonly rebilledUsd: Measure;
}

export function cutTotals(uses: readonly WindowUse[]): CutTotals {
  const cuts = uses.flatMap((use) => use.cuts);
  const early = cuts.filter((cut) => cut.isEarly);
  const own = early.filter(({ lossOf }) => lossOf === null).map(({ call }) => call);
  return {
    cuts: cuts.length,
    early: early.length,
    unjudged: cuts.filter(({ isEarly }) => isEarly === null).length,
    rebilledTokens: sumOf(own, (call) => call.tokens.rebilled),
    rebilledUsd: sumOf(own, (call) => call.cost?.rebilledUsd ?? null),
  };
}

/** The fullest call of each step, in as many steps as there is room for: a peak must not be averaged away. */
export function fullnessHistory({ fullness }: WindowUse, steps: number): (number | null)[] {
  const count = Math.min(steps, fullness.length);
  return Array.from({ length: count }, (_, step) => {
    const from = Math.floor((step * fullness.length) / count);
    const to = Math.floor(((step + 1) * fullness.length) / count);
    return fullness
      .slice(from, to)
      .reduce((most, share) => (share === null ? most : Math.max(most ?? 0, share)), null);
  });
}

function mostTellingFirst(left: WindowUse, right: WindowUse): number {
  const early = ({ cuts }: WindowUse) => cuts.filter((cut) => cut.isEarly).length;
  return (
    early(right) - early(left) ||
    right.cuts.length - left.cuts.length ||
    (right.fullest.fullness ?? -1) - (left.fullest.fullness ?? -1) ||
    byMeasure(left.lineage.totals.inputTokens, right.lineage.totals.inputTokens)
  );
}
