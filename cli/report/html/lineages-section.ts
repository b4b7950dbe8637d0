/** All lineages in a table, the costliest first; each leads to its timeline where it has one. */
import type { LineageSummary } from '../../summary/summary.ts';
import {
  countOf,
  formatCount,
  formatMeasure,
  formatShare,
  formatTimeOfDay,
  formatTokens,
  formatUsd,
} from '../../terminal/format.ts';
import { html, type Markup } from './html.ts';
import type { PageContent } from './page-content.ts';

export function lineagesSection({ report, lineages, timelines }: PageContent): Markup {
  const more = report.summary.totals.lineages - lineages.length;
  return html`<section aria-labelledby="lineages"><h2 id="lineages">Lineages</h2>
<p class="soft">Calls that continue one another: a conversation, a sub-agent, a side call.</p>
<div class="scroll" role="region" aria-label="Lineages" tabindex="0"><table><thead><tr><th scope="col">lineage</th><th scope="col" class="spare">model</th><th scope="col" class="n">calls</th><th scope="col" class="n spare">input</th><th scope="col" class="n">read</th><th scope="col" class="n">avoidable</th><th scope="col" class="n">cost</th><th scope="col" class="n spare">last seen</th></tr></thead><tbody>${lineages.map(
    (lineage, index) => lineageRow(lineage, index < timelines.length ? index + 1 : null),
  )}</tbody></table></div>
${more > 0 ? html`<p class="soft">… ${countOf(more, 'more lineage')}</p>` : null}
</section>`;
}

function lineageRow({ words, models, lastAt, totals }: LineageSummary, timeline: number | null): Markup {
  const isLossy = (totals.avoidableTokens.value ?? 0) > 0;
  return html`<tr><th scope="row">${timeline === null ? words : html`<a href="#lineage-${timeline}">${words}</a>`}</th><td class="spare soft">${models.join(', ')}</td><td class="n">${formatCount(totals.calls)}</td><td class="n spare">${formatMeasure(totals.inputTokens, formatTokens)}</td><td class="n">${formatShare(totals.hitRate)}</td><td class="n">${isLossy ? formatMeasure(totals.avoidableUsd, formatUsd) : ''}</td><td class="n">${formatMeasure(totals.usd, formatUsd)}</td><td class="n spare">${formatTimeOfDay(lastAt)}</td></tr>`;
}
