/**
 * The pictures of the page, as inline SVG: no script, no external file, sharp in print. Each has its text alternative, and
 * shapes say what colours say: stripes are written, an outline is uncached, a cross is the break, a hourglass a lapse.
 */
import { categoryOf } from '../../summary/classify.ts';
import type { ReportedCall } from '../../summary/reported-call.ts';
import type { Totals } from '../../summary/totals.ts';
import { formatShare, formatTokens } from '../../terminal/format.ts';
import { html, type Markup } from './html.ts';

type Fill = 'read' | 'written' | 'uncached' | 'unknown';
export type MarkName = 'break' | 'lapse';

interface Part {
  readonly fill: Fill;
  readonly tokens: number;
}

/** Once in the page: what the pictures refer to. */
export const SHAPES = html`<svg class="shapes" aria-hidden="true" focusable="false" width="0" height="0"><defs>
<pattern id="written" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="written-ground" width="6" height="6"/><rect class="written-line" width="2" height="6"/></pattern>
<pattern id="unknown" width="6" height="6" patternUnits="userSpaceOnUse"><circle class="unknown-dot" cx="3" cy="3" r="1.2"/></pattern>
<g id="break"><rect class="gap" x="-5.5" y="-8" width="11" height="16"/><path class="break" d="M-3.5-4.5 3.5 4.5M3.5-4.5-3.5 4.5"/></g>
<g id="lapse"><rect class="gap" x="-5.5" y="-8" width="11" height="16"/><path class="lapse" d="M-3.5-5h7L-3.5 5h7Z"/></g>
</defs></svg>`;

const BAR_HEIGHT = 14;

/** `longest`: the input tokens that fill the width, so that bars of one lineage can be compared. */
export function callBar(call: ReportedCall, longest: number): Markup {
  const { input, cacheRead, cacheWrite } = call.tokens;
  const parts: Part[] =
    cacheRead === null
      ? [{ fill: 'unknown', tokens: input }]
      : [
          { fill: 'read', tokens: cacheRead },
          { fill: 'written', tokens: cacheWrite ?? 0 },
          { fill: 'uncached', tokens: Math.max(0, input - cacheRead - (cacheWrite ?? 0)) },
        ];
  return bar(parts, Math.max(1, longest), BAR_HEIGHT, markOf(call), partsInWords(parts));
}

function markOf(call: ReportedCall): { readonly name: MarkName; readonly tokens: number } | null {
  if (categoryOf(call) === 'quiet') return null;
  return call.divergence === null
    ? { name: 'lapse', tokens: 0 }
    : { name: 'break', tokens: Math.min(call.tokens.shared, call.tokens.input) };
}

export function shareBar(totals: Totals): Markup {
  const parts: Part[] = [
    { fill: 'read', tokens: totals.readTokens.value ?? 0 },
    { fill: 'written', tokens: totals.writtenTokens.value ?? 0 },
    { fill: 'uncached', tokens: totals.uncachedTokens.value ?? 0 },
  ];
  const total = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  return total === 0
    ? bar([{ fill: 'unknown', tokens: 1 }], 1, 18, null, 'no usage reported')
    : bar(parts, total, 18, null, partsInWords(parts));
}

function bar(
  parts: readonly Part[],
  longest: number,
  height: number,
  mark: { readonly name: MarkName; readonly tokens: number } | null,
  words: string,
): Markup {
  let from = 0;
  const rects = parts.map(({ fill, tokens }) => {
    const x = percent(from, longest);
    from += tokens;
    return tokens <= 0
      ? null
      : html`<rect class="${fill}" x="${x}" width="${percent(tokens, longest)}" height="${height}"/>`;
  });
  // Half a mark would hang over the left edge.
  const shown =
    mark &&
    html`<svg class="mark" x="${percent(mark.tokens, longest)}" y="${height / 2}"><use href="#${mark.name}"${mark.tokens / longest < 0.02 ? html` x="5.5"` : null}/></svg>`;
  return html`<svg class="bar" role="img" aria-label="${words}" height="${height}">${rects}${shown}</svg>`;
}

function partsInWords(parts: readonly Part[]): string {
  return parts
    .filter(({ tokens }) => tokens > 0)
    .map(({ fill, tokens }) => `${formatTokens(tokens)} ${fill}`)
    .join(', ');
}

function percent(tokens: number, longest: number): string {
  return `${Number(((tokens / longest) * 100).toFixed(2))}%`;
}

const CHART_WIDTH = 600;

/** Shares over time as steps, from 0 to 1; unknown is a gap. A line may be drawn across, with its name. */
export function stepChart(
  shares: readonly (number | null)[],
  { height, words, line }: { height: number; words: string; line?: number | null },
): Markup {
  const step = CHART_WIDTH / Math.max(1, shares.length);
  const y = (share: number) => Number(((1 - Math.min(1, share)) * (height - 2) + 1).toFixed(1));
  const x = (index: number) => Number((index * step).toFixed(1));
  let edge = '';
  let area = '';
  shares.forEach((share, index) => {
    if (share === null) return;
    const isJoined = index > 0 && shares[index - 1] != null;
    edge += `${isJoined ? 'L' : 'M'}${x(index)} ${y(share)}H${x(index + 1)}`;
    area += `M${x(index)} ${height}V${y(share)}H${x(index + 1)}V${height}Z`;
  });
  const across =
    line === null || line === undefined ? null : html`<path class="could" d="M0 ${y(line)}H${CHART_WIDTH}"/>`;
  return html`<svg class="chart" role="img" aria-label="${words}" viewBox="0 0 ${CHART_WIDTH} ${height}" preserveAspectRatio="none" height="${height}"><path class="area" d="${area}"/><path class="edge" d="${edge}"/>${across}</svg>`;
}

export function sharesInWords(what: string, shares: readonly (number | null)[]): string {
  const known = shares.filter((share) => share !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return `${what}: unknown`;
  return `${what} over time: ${formatShare(first)} at first, ${formatShare(last)} at last, between ${formatShare(Math.min(...known))} and ${formatShare(Math.max(...known))}`;
}
