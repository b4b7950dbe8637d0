/**
 * The prompt of one call as a strip in render order: what was shared, where it broke, what was billed again, what is new.
 * A component gets room for its name, and beyond that as much as it has tokens.
 */
import type { LayoutRun } from '../../../src/diagnosis.ts';
import type { ReportedCall } from '../../summary/reported-call.ts';
import { formatTokens } from '../../terminal/format.ts';
import { html, type Markup } from './html.ts';
import type { MarkName } from './pictures.ts';

type StripFill = 'read' | 'written' | 'uncached';

interface Stretch {
  readonly fill: StripFill;
  readonly tokens: number;
}

interface Component {
  readonly name: LayoutRun['component'];
  readonly tokens: number;
  readonly stretches: readonly Stretch[];
}

const WIDTH = 960;
const HEIGHT = 22;
const LEAST_WIDTH = 88;
const MARK_WIDTH = 11;

export function promptPicture(call: ReportedCall): Markup | null {
  const components = componentsOf(call);
  if (components.length === 0) return null;
  const mark = markOf(call);
  const total = Math.max(1, sum(components));
  const spare = WIDTH - components.length * LEAST_WIDTH;
  let x = 0;
  let markX: number | null = null;
  const drawn = components.map(({ name, tokens, stretches }, index) => {
    const start = x;
    const width = LEAST_WIDTH + (tokens / total) * spare - (index === components.length - 1 ? 0 : 2);
    const rects = stretches.map((stretch) => {
      const from = x;
      x += (stretch.tokens / Math.max(1, tokens)) * width;
      if (mark?.before === stretch) markX ??= from;
      return html`<rect class="${stretch.fill}" x="${rounded(from)}" width="${rounded(x - from)}" y="18" height="${HEIGHT}"/>`;
    });
    x = start + width + 2;
    return html`<text x="${rounded(start)}" y="11">${name}</text>${rects}`;
  });
  return html`<svg class="strip" role="img" aria-label="${words(components, mark?.name ?? null)}" viewBox="0 0 ${WIDTH} ${HEIGHT + 18}">${drawn}${
    mark === null || markX === null
      ? null
      : html`<use href="#${mark.name}" x="${rounded(Math.min(WIDTH - MARK_WIDTH / 2, markX + MARK_WIDTH / 2))}" y="${18 + HEIGHT / 2}"/>`
  }</svg>`;

  function markOf({ divergence, miss }: ReportedCall): { name: MarkName; before: Stretch } | null {
    const before = components.flatMap(({ stretches }) => stretches).find(({ fill }) => fill !== 'read');
    if (before === undefined || (divergence === null && miss === null)) return null;
    return { name: divergence === null ? 'lapse' : 'break', before };
  }
}

/** Settings are a few tokens: they take room in the strip only where the break is theirs. */
function isShown({ component, shared, tokens }: LayoutRun, call: ReportedCall): boolean {
  if (component !== 'model' && component !== 'parameters') return tokens > 0;
  return !shared && call.divergence?.component === component;
}

function componentsOf(call: ReportedCall): Component[] {
  const runs = call.layout.filter((run) => isShown(run, call));
  const { rebilled, cacheRead } = call.tokens;
  // Nothing changed, and yet it was not read: what is shared was billed again, but for what was read of it.
  const isLapsed = call.divergence === null && call.miss !== null && (rebilled ?? 0) > 0;
  let readable = isLapsed ? (cacheRead ?? 0) : Number.POSITIVE_INFINITY;
  let billable = call.divergence === null ? 0 : (rebilled ?? call.tokens.behind);
  const components: { name: LayoutRun['component']; tokens: number; stretches: Stretch[] }[] = [];
  for (const { component, tokens, shared } of runs) {
    let last = components.at(-1);
    if (last?.name !== component) {
      last = { name: component, tokens: 0, stretches: [] };
      components.push(last);
    }
    last.tokens += tokens;
    const limit = shared ? readable : billable;
    const front = Math.min(tokens, limit);
    const fills: readonly [StripFill, StripFill] = shared ? ['read', 'written'] : ['written', 'uncached'];
    if (front > 0) last.stretches.push({ fill: fills[0], tokens: front });
    if (tokens > front || tokens === 0) last.stretches.push({ fill: fills[1], tokens: tokens - front });
    if (shared) readable -= front;
    else billable -= front;
  }
  return components;
}

const FILL_WORDS: Readonly<Record<StripFill, string>> = {
  read: 'shared',
  written: 'billed again',
  uncached: 'new',
};

function words(components: readonly Component[], mark: MarkName | null): string {
  const parts = components.map(
    ({ name, stretches }) =>
      `${name}: ${stretches.map(({ fill, tokens }) => `about ${formatTokens(tokens)} ${FILL_WORDS[fill]}`).join(', ')}`,
  );
  const broken = components.find(({ stretches }) => stretches.some(({ fill }) => fill !== 'read'))?.name;
  const place = mark === null || broken === undefined ? '' : `; ${mark} in ${broken}`;
  return `The prompt in order. ${parts.join('; ')}${place}`;
}

function sum(components: readonly Component[]): number {
  return components.reduce((total, { tokens }) => total + tokens, 0);
}

function rounded(value: number): number {
  return Number(value.toFixed(1));
}
