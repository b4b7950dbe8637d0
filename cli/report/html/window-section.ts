/** How full the context window was, lineage by lineage, and each time the history was cut. */
import { type Cut, fullnessHistory, type WindowUse } from '../../summary/context-window.ts';
import { countOf } from '../../terminal/format.ts';
import { cutsInWords, cutWords, shownWindows, windowWords } from '../window-words.ts';
import { html, type Markup } from './html.ts';
import type { PageContent } from './page-content.ts';
import { sharesInWords, stepChart } from './pictures.ts';

const MOST_LINEAGES = 20;
const MOST_CUTS = 12;
const HISTORY_STEPS = 60;

export function windowSection({ report }: PageContent): Markup | null {
  const uses = shownWindows(report.windows);
  if (uses.length === 0) return null;
  const shown = uses.slice(0, MOST_LINEAGES);
  return html`<section aria-labelledby="window"><h2 id="window">Context window</h2>
<p class="soft">Input tokens of each call, as a share of what its model can take.</p>
<div class="scroll" role="region" aria-label="Context window by lineage" tabindex="0"><table><thead><tr><th scope="col">lineage</th><th scope="col" class="wide">over time, empty to full</th><th scope="col" class="n">fullest</th><th scope="col" class="n spare">longest prompt</th><th scope="col" class="n">window</th></tr></thead><tbody>${shown.map(windowRow)}</tbody></table></div>
${uses.length > shown.length ? html`<p class="soft">… ${countOf(uses.length - shown.length, 'more lineage')}</p>` : null}
${cutsTable(shown)}
${cutsInWords(uses).map((text) => html`<p class="note">${text}</p>`)}
</section>`;
}

function windowRow(use: WindowUse): Markup {
  const { name, window, fullest, tokens } = windowWords(use);
  const history = fullnessHistory(use, HISTORY_STEPS);
  const picture = stepChart(history, { height: 30, words: sharesInWords('Fullness', history) });
  return html`<tr><th scope="row">${name}</th><td class="wide middle"><div class="framed">${picture}</div></td><td class="n">${fullest}</td><td class="n spare">${tokens}</td><td class="n">${window}</td></tr>`;
}

function cutsTable(uses: readonly WindowUse[]): Markup | null {
  const cuts = uses.flatMap((use) => use.cuts.map((cut) => ({ cut, name: windowWords(use).name })));
  if (cuts.length === 0) return null;
  const shown = cuts.slice(0, MOST_CUTS);
  return html`<div class="scroll" role="region" aria-label="Cuts of the history" tabindex="0"><table><thead><tr><th scope="col">cut</th><th scope="col" class="n">just before</th><th scope="col" class="n spare">tokens</th><th scope="col">cost</th><th scope="col">early?</th></tr></thead><tbody>${shown.map(({ cut, name }) => cutRow(cut, name))}</tbody></table></div>
${cuts.length > shown.length ? html`<p class="soft">… ${countOf(cuts.length - shown.length, 'more cut')}</p>` : null}`;
}

function cutRow(cut: Cut, name: string): Markup {
  const { what, fullness, from, to, rebilled, verdict } = cutWords(cut);
  return html`<tr><th scope="row">${what}<br><span class="soft">${name}</span></th><td class="n">${fullness}</td><td class="n spare">${from} → ${to}</td><td>${rebilled}</td><td class="tight">${cut.isEarly ? html`<span class="tag">${verdict}</span>` : verdict}</td></tr>`;
}
