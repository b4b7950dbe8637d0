/** How full the context window was, in words: the text, the Markdown and the page say the same. */
import { type Cut, type CutKind, cutTotals, EARLY_BELOW, type WindowUse } from '../summary/context-window.ts';
import { scopeInWords } from '../summary/explain.ts';
import {
  countOf,
  formatCount,
  formatMeasure,
  formatShare,
  formatTokens,
  formatUsd,
} from '../terminal/format.ts';

export interface WindowWords {
  readonly name: string;
  readonly calls: string;
  /** The longest prompt. */
  readonly tokens: string;
  readonly window: string;
  readonly fullest: string;
}

export function windowWords({ lineage, windows, fullest, outgrown }: WindowUse): WindowWords {
  const { call, fullness } = fullest;
  const size = windows.map(({ tokens }) => formatTokens(tokens)).join(', ');
  return {
    name: scopeInWords(call),
    calls: formatCount(lineage.totals.calls),
    tokens: `${estimateMark(call.tokens.method !== 'usage')}${formatTokens(call.tokens.input)}`,
    window: outgrown.length > 0 ? 'more than is listed' : size === '' ? 'unknown' : size,
    fullest: `${fullness === null ? '' : estimateMark(call.tokens.method !== 'usage')}${formatShare(fullness)}`,
  };
}

const CUT_NAMES: Readonly<Record<CutKind, string>> = {
  compaction: 'compacted',
  context_edit: 'context edited',
  drop: 'prompt dropped',
};

export interface CutWords {
  /** `call 7 compacted` */
  readonly what: string;
  readonly from: string;
  readonly to: string;
  readonly fullness: string;
  readonly rebilled: string;
  readonly verdict: 'early' | 'in time' | 'not known whether early';
}

export function cutWords({
  kind,
  cause,
  lossOf,
  call,
  tokensBefore,
  tokensAfter,
  fullness,
  isEarly,
  isEstimated,
}: Cut): CutWords {
  const mark = estimateMark(isEstimated);
  const name = cause?.startsWith('messages.') && kind !== 'compaction' ? ` (${cause})` : '';
  return {
    what: `call ${formatCount(call.index + 1)}: ${CUT_NAMES[kind]}${name}`,
    from: `${mark}${formatTokens(tokensBefore)}`,
    to: formatTokens(tokensAfter),
    fullness: fullness === null ? 'window unknown' : `${mark}${formatShare(fullness)} full`,
    rebilled: lossOf === null ? rebilledInWords(call) : `its loss counts under ${lossOf}`,
    verdict: isEarly === null ? 'not known whether early' : isEarly ? 'early' : 'in time',
  };
}

function rebilledInWords({ tokens, cost }: Cut['call']): string {
  if (tokens.rebilled === null) return 'unknown what was billed again';
  const usd = cost?.rebilledUsd ?? null;
  const mark = estimateMark(tokens.method !== 'usage');
  return `${mark}${formatTokens(tokens.rebilled)} tokens billed again${usd === null ? '' : `, ${mark}${formatUsd(usd)}`}`;
}

function estimateMark(isEstimated: boolean): string {
  return isEstimated ? '~' : '';
}

/** What it comes to, and the rule behind the word "early"; empty where no history was cut. */
export function cutsInWords(uses: readonly WindowUse[]): string[] {
  const { cuts, early, unjudged, rebilledTokens, rebilledUsd } = cutTotals(uses);
  if (cuts === 0) return [];
  const times = countOf(cuts, 'time');
  const unknown = unjudged === 0 ? '' : `, of ${formatCount(unjudged)} nobody can say`;
  if (early === 0)
    return [
      `History was cut ${times}: ${unjudged === cuts ? 'whether early is not known' : `none early${unknown}`}.`,
    ];
  const cost = `${formatMeasure(rebilledTokens, formatTokens)} tokens billed again (${formatMeasure(rebilledUsd, formatUsd)})`;
  return [
    `History was cut ${times}, ${formatCount(early)} early${unknown}: ${cost}.`,
    `Early: less than ${formatShare(EARLY_BELOW)} of the window was in use (or of the part below a model's price step). A budget set too low cuts runs that did not need it, and each cut throws away the reads behind it.`,
  ];
}

/** Few enough to read; the JSON form has them all. */
export const MOST_WINDOWS = 6;
export const MOST_CUTS = 3;

/** A lineage of one call has no course to show, unless it was nearly full. */
export function shownWindows(uses: readonly WindowUse[]): readonly WindowUse[] {
  return uses.filter(
    ({ lineage, cuts, fullest }) =>
      lineage.totals.calls > 1 || cuts.length > 0 || (fullest.fullness ?? 0) > EARLY_BELOW,
  );
}
